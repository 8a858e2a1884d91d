#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/runs.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// How the frames of a difference compared.
struct DifferenceFacts {
  Statistics reference, fresh;  ///< their skies, after the clip and as wide as each other
  std::int64_t ratios = 0;      ///< bright pixels that told the ratio of their brightness
  double scale = 1;             ///< what the reference was multiplied by
};

/// What the pipeline leaves behind, on the host.
struct Extraction {
  Sources sources;
  Background background;
  Levels levels;
  std::int64_t masked_nan = 0, masked_infinite = 0, masked_blank = 0;
  std::int64_t detected = 0;  ///< components before min_area
  Runs<Cpu> runs;             ///< with `label`, the segmentation; kept only if an output shows it
  Buffer<std::int32_t, Cpu> label;
  std::optional<Picture> picture;             ///< if output.quicklook asks for one
  std::optional<DifferenceFacts> difference;  ///< if a reference was subtracted
};

/// Appends the rows of one catalogue to those of another; both have the same columns.
inline void append_rows(Sources& to, const Sources& from) {
  const auto before = static_cast<std::int32_t>(to.size());
  for_each_column(to, [&](const Column& column, auto& values) {
    for_each_column(from, [&](const Column& other, const auto& more) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(values)>, std::remove_cvref_t<decltype(more)>>)
        if (column.name == std::string_view(other.name)) values.insert(values.end(), more.begin(), more.end());
    });
  });
  for (std::size_t row = static_cast<std::size_t>(before); row < to.number.size(); ++row) to.number[row] += before;
}

/// The segmentations of two sides of a difference as one, in raster order; a pixel is in one of them at most. Labels of
/// the second go on after the first's `sources`.
inline void merge_segmentations(Extraction& first, const Extraction& second, std::int32_t sources) {
  const Cpu where;
  const std::int64_t height = first.runs.shape.height;
  Runs<Cpu> runs{first.runs.shape, {first.runs.runs.size() + second.runs.runs.size(), where}, {height + 1, where}};
  Buffer<std::int32_t, Cpu> label(runs.runs.size(), where);
  std::int64_t next = 0;
  runs.row_begin[0] = 0;
  for (std::int64_t y = 0; y < height; ++y) {
    std::int64_t i = first.runs.row_begin[y], k = second.runs.row_begin[y];
    const std::int64_t i_end = first.runs.row_begin[y + 1], k_end = second.runs.row_begin[y + 1];
    for (; i < i_end || k < k_end; ++next) {
      const bool of_first = k == k_end || (i < i_end && first.runs.runs[i].begin < second.runs.runs[k].begin);
      const std::int32_t own = of_first ? first.label[i] : second.label[k];
      runs.runs[next] = of_first ? first.runs.runs[i++] : second.runs.runs[k++];
      label[next] = own == 0 || of_first ? own : own + sources;
    }
    runs.row_begin[y + 1] = next;
  }
  first.runs = std::move(runs);
  first.label = std::move(label);
}

/// One extraction of what became brighter and what became fainter: SIGN tells them apart, and what became fainter comes
/// after what became brighter. `fainter` was found in the negated difference; its statistics are left out.
inline Extraction join_sides(Extraction brighter, const Extraction& fainter) {
  const auto sources = static_cast<std::int32_t>(brighter.sources.size());
  if (!brighter.runs.row_begin.empty()) merge_segmentations(brighter, fainter, sources);
  append_rows(brighter.sources, fainter.sources);
  brighter.detected += fainter.detected;
  std::vector<std::int16_t>& sign = brighter.sources.sign;
  sign.assign(brighter.sources.number.size(), -1);
  std::fill_n(sign.begin(), sources, std::int16_t{1});
  brighter.sources.changes = true;
  return brighter;
}

}  // namespace srcextract
