#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"

namespace srcextract {

/// A run: the consecutive foreground pixels begin to end - 1 of row y. The pixels next to both ends are not foreground.
/// Only deblending and label maps divide a run between sources.
struct Run {
  std::int32_t y;
  std::int32_t begin;
  std::int32_t end;

  bool operator==(const Run&) const = default;
};

/// The foreground of an image as runs in raster order. Row y has the runs row_begin[y] to row_begin[y + 1] - 1;
/// row_begin[shape.height] is the number of runs. On a device, the host does not know this number in advance, and
/// `runs` has Gpu::capacity.runs elements. If there are more runs, only the first are stored, and the host must repeat
/// the stage with a larger capacity.
template <class Where>
struct Runs {
  Shape shape;
  Buffer<Run, Where> runs;
  Buffer<std::int64_t, Where> row_begin;  ///< shape.height + 1 elements
};

/// Calls f(index of the run, begin, end) for the part of each run of row y that lies in the columns [from, to).
template <class F>
void for_each_run_between(const Runs<Cpu>& runs, std::int64_t y, std::int64_t from, std::int64_t to, const F& f) {
  const Run *const all = runs.runs.data(), *const last = all + runs.row_begin[y + 1];
  const auto is_before = [&](const Run& run) { return run.end <= from; };
  const Run* run = std::partition_point(all + runs.row_begin[y], last, is_before);
  for (; run != last && run->begin < to; ++run)
    f(run - all, std::max<std::int64_t>(run->begin, from), std::min<std::int64_t>(run->end, to));
}

/// Whether the runs lie in the image, row by row as `row_begin` says, and share no pixel.
inline bool are_in_raster_order(const Runs<Cpu>& runs) {
  if (runs.row_begin.size() != runs.shape.height + 1 || runs.row_begin[0] != 0) return false;
  if (runs.row_begin[runs.shape.height] > runs.runs.size()) return false;
  for (std::int64_t y = 0; y < runs.shape.height; ++y) {
    if (runs.row_begin[y] > runs.row_begin[y + 1]) return false;
    std::int64_t last = 0;
    for (std::int64_t i = runs.row_begin[y]; i < runs.row_begin[y + 1]; ++i) {
      const Run& run = runs.runs[i];
      if (run.y != y || run.begin < last || run.begin >= run.end || run.end > runs.shape.width) return false;
      last = run.end;
    }
  }
  return true;
}

inline void record_fields(const Runs<Cpu>& runs, FieldRecorder& to) {
  to.members("row", Element::run, runs.runs, &Run::y);
  to.members("begin", Element::run, runs.runs, &Run::begin);
  to.members("end", Element::run, runs.runs, &Run::end);
  to.values("first run", Element::row, std::span(runs.row_begin.begin(), runs.row_begin.end()));
}

}  // namespace srcextract
