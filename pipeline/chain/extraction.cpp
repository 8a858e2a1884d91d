#include "pipeline/chain/extraction.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/chain/detection.hpp"
#include "stages/measure/usual_columns.hpp"

namespace srcextract {
namespace {

/// Adds the column SIGN with the same value in every row.
void add_sign(std::int16_t sign, Sources& sources) {
  add_column(sign_column, CatalogPart::sign, sources, {}, [&](auto of, std::size_t) { return of(sign); });
}

/// Appends the rows of `from` to `to`, which must have the same columns. NUMBER and ID_PARENT of the appended rows
/// continue the numbers in `to`.
void append_rows(Sources& to, const Sources& from) {
  const auto before = static_cast<std::size_t>(to.size());
  const bool divided = to.has(columns::id_parent);
  const std::int32_t islands = divided && before > 0 ? std::ranges::max(to[columns::id_parent]) : 0;
  const auto append = []<class T, class Other>(std::vector<T>& values, const std::vector<Other>& more) {
    if constexpr (std::is_same_v<T, Other>) values.insert(values.end(), more.begin(), more.end());
  };
  for (std::size_t i = 0; i < to.columns.size(); ++i) std::visit(append, to.columns[i].values, from.columns[i].values);
  const auto shift = [&](std::vector<std::int32_t>& numbers, std::int32_t by) {
    for (std::size_t row = before; row < numbers.size(); ++row) numbers[row] += by;
  };
  shift(to[columns::number], static_cast<std::int32_t>(before));
  if (divided) shift(to[columns::id_parent], islands);
}

/// Adds the runs of `second` to `first`, in raster order. Labels of `second` are increased by `sources`, the number of
/// sources in `first`.
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
    std::int32_t taken = 0;  // end of the run before; a pixel that is in runs of both goes to the run that begins first
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
  if (extraction.shared_noise) record_fields(*extraction.shared_noise, to);
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
  add_sign(1, brighter.sources);
  add_sign(-1, fainter.sources);
  append_rows(brighter.sources, fainter.sources);
  std::ranges::move(fainter.check.thresholded, std::back_inserter(brighter.check.thresholded));
  std::ranges::move(fainter.check.reshaped, std::back_inserter(brighter.check.reshaped));
  brighter.detected += fainter.detected;
  return brighter;
}

Extraction leave_fainter(Extraction brighter, Extraction fainter) {
  brighter.sources = std::move(fainter.sources);
  add_sign(-1, brighter.sources);
  brighter.detected = fainter.detected;
  brighter.runs = std::move(fainter.runs);
  brighter.label = std::move(fainter.label);
  brighter.check.thresholded = std::move(fainter.check.thresholded);
  brighter.check.reshaped = std::move(fainter.check.reshaped);
  brighter.brightest.clear();
  return brighter;
}

Extraction join_signs(Extraction brighter, Extraction fainter, const Config& config) {
  std::unique_ptr<Extraction> negated;
  if (fits_gaussians(config)) {
    const Cpu where;
    negated = std::make_unique<Extraction>();
    negated->sources = fainter.sources;
    negated->background = fainter.background;
    negated->levels = fainter.levels;
    negated->runs = copy_of(fainter.runs, where);
    negated->label = copy_of(fainter.label, where);
    negated->check.mesh = std::move(fainter.check.mesh);
    negated->check.above = std::move(fainter.check.above);
    negated->check.variance = std::move(fainter.check.variance);
  }
  Extraction joined = config.detection.sign == DetectionSign::both
                          ? join_sides(std::move(brighter), std::move(fainter))
                          : leave_fainter(std::move(brighter), std::move(fainter));
  joined.negated = std::move(negated);
  return joined;
}

void turn_backgrounds(Sources& sources) {
  const std::vector<std::int16_t>& sign = sources[columns::sign];
  std::vector<double>& background = sources[columns::background];
  for (std::size_t row = 0; row < sign.size(); ++row)
    if (sign[row] < 0)
      background[row] = 0 - background[row];  // -0.0 would be written differently from 0.0, and 0 - 0 is not -0.0
}

}  // namespace srcextract
