#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"

namespace srcextract {

/// Foreground pixels begin to end - 1 of row y. A run is maximal: the pixels before and after it are not foreground.
/// Only deblending and maps of labels cut runs between sources.
struct Run {
  std::int32_t y;
  std::int32_t begin;
  std::int32_t end;

  bool operator==(const Run&) const = default;
};

/// The foreground of an image as runs in raster order. Row y has the runs from row_begin[y] to row_begin[y + 1] - 1,
/// and row_begin[shape.height] is their number. On a device, where the host does not know this number in advance,
/// `runs` has room for Gpu::capacity runs. If there are more, only the first ones are stored, and the host must start
/// again with more room.
template <class Where>
struct Runs {
  Shape shape;
  Buffer<Run, Where> runs;
  Buffer<std::int64_t, Where> row_begin;  ///< shape.height + 1 elements
};

inline void record_fields(const Runs<Cpu>& runs, FieldRecorder& to) {
  to.members("row", Element::run, runs.runs, &Run::y);
  to.members("begin", Element::run, runs.runs, &Run::begin);
  to.members("end", Element::run, runs.runs, &Run::end);
  to.values("first run", Element::row, std::span(runs.row_begin.begin(), runs.row_begin.end()));
}

}  // namespace srcextract
