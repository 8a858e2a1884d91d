#include "pipeline/chain/extraction.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace srcextract {
namespace {

/// Appends the rows of one catalogue to those of another; both have the same columns.
void append_rows(Sources& to, const Sources& from) {
  const auto before = static_cast<std::int32_t>(to.size());
  const std::int32_t islands = to.id_parent.empty() ? 0 : std::ranges::max(to.id_parent);
  for_each_column(to, [&](const Column& column, auto& values) {
    for_each_column(from, [&](const Column& other, const auto& more) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(values)>, std::remove_cvref_t<decltype(more)>>)
        if (column.name == std::string_view(other.name)) values.insert(values.end(), more.begin(), more.end());
    });
  });
  for (std::size_t row = static_cast<std::size_t>(before); row < to.number.size(); ++row) to.number[row] += before;
  for (std::size_t row = static_cast<std::size_t>(before); row < to.id_parent.size(); ++row)
    to.id_parent[row] += islands;
}

/// Merges the segmentations of two sides of an image, in raster order. Labels of the second side continue after the
/// `sources` labels of the first.
void merge_segmentations(Extraction& first, const Extraction& second, std::int32_t sources) {
  const Cpu where;
  const std::int64_t height = first.runs.shape.height;
  Runs<Cpu> runs{first.runs.shape, {first.runs.runs.size() + second.runs.runs.size(), where}, {height + 1, where}};
  Buffer<std::int32_t, Cpu> label(runs.runs.size(), where);
  std::int64_t next = 0;
  runs.row_begin[0] = 0;
  for (std::int64_t y = 0; y < height; ++y) {
    std::int64_t i = first.runs.row_begin[y], k = second.runs.row_begin[y];
    const std::int64_t i_end = first.runs.row_begin[y + 1], k_end = second.runs.row_begin[y + 1];
    std::int32_t taken = 0;  // end of the run before
    while (i < i_end || k < k_end) {
      const bool of_first = k == k_end || (i < i_end && first.runs.runs[i].begin < second.runs.runs[k].begin);
      const std::int32_t own = of_first ? first.label[i] : second.label[k];
      Run run = of_first ? first.runs.runs[i++] : second.runs.runs[k++];
      run.begin = std::max(run.begin, taken);
      if (run.begin >= run.end) continue;
      taken = run.end;
      runs.runs[next] = run;
      label[next++] = own == 0 || of_first ? own : own + sources;
    }
    runs.row_begin[y + 1] = next;
  }
  for (; next < runs.runs.size(); ++next) runs.runs[next] = {}, label[next] = 0;
  first.runs = std::move(runs);
  first.label = std::move(label);
}

}  // namespace

void record_fields(const Extraction& extraction, FieldRecorder& to) {
  record_fields(extraction.sources, to);
  record_fields(extraction.background, to);
  record_fields(extraction.levels, to);
  to.value("components found", extraction.detected);
  record_fields(extraction.runs, to);
  to.values("label", Element::run, std::span(extraction.label.begin(), extraction.label.end()));
  if (extraction.aperture_noise) record_fields(*extraction.aperture_noise, to);
  if (!extraction.difference) return;
  record_fields(extraction.difference->reference, "of the reference's sky", to);
  record_fields(extraction.difference->fresh, "of the new frame's sky", to);
  to.value("ratios", extraction.difference->ratios);
  to.value("scale", extraction.difference->scale);
  if (extraction.difference->fit) record_fields(*extraction.difference->fit, to);
}

Extraction join_sides(Extraction brighter, Extraction fainter) {
  const auto sources = static_cast<std::int32_t>(brighter.sources.size());
  if (!brighter.runs.row_begin.empty()) merge_segmentations(brighter, fainter, sources);
  append_rows(brighter.sources, fainter.sources);
  std::ranges::move(fainter.check.thresholded, std::back_inserter(brighter.check.thresholded));
  std::ranges::move(fainter.check.reshaped, std::back_inserter(brighter.check.reshaped));
  brighter.detected += fainter.detected;
  std::vector<std::int16_t>& sign = brighter.sources.sign;
  sign.assign(brighter.sources.number.size(), -1);
  std::fill_n(sign.begin(), sources, std::int16_t{1});
  brighter.sources.has_sign = true;
  return brighter;
}

Extraction leave_fainter(Extraction brighter, Extraction fainter) {
  brighter.sources = std::move(fainter.sources);
  brighter.sources.sign.assign(brighter.sources.number.size(), -1);
  brighter.sources.has_sign = true;
  brighter.detected = fainter.detected;
  brighter.runs = std::move(fainter.runs);
  brighter.label = std::move(fainter.label);
  brighter.check.thresholded = std::move(fainter.check.thresholded);
  brighter.check.reshaped = std::move(fainter.check.reshaped);
  brighter.brightest.clear();
  return brighter;
}

void turn_backgrounds(Sources& sources) {
  for (std::size_t row = 0; row < sources.sign.size(); ++row)
    if (sources.sign[row] < 0) sources.background[row] = 0 - sources.background[row];  // 0 - 0 is not -0
}

}  // namespace srcextract
