#include "pipeline/outputs/check_rows.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {
namespace {

void copy_row(const Image<float, Cpu>& image, std::int64_t y, float* row) {
  const HeldRows held(image, y, y + 1);
  std::copy_n(image.pixels.data() + y * image.shape.width, image.shape.width, row);
}

/// Sets the pixels of a row that belong to no source to 0.
void clear_sky(const Extraction& extraction, std::int64_t width, std::int64_t y, float* row) {
  std::int64_t x = 0;
  for (std::int64_t i = extraction.runs.row_begin[y]; i < extraction.runs.row_begin[y + 1]; ++i) {
    if (extraction.label[i] == 0) continue;
    const Run& run = extraction.runs.runs[i];
    std::fill(row + x, row + run.begin, 0.0F);
    x = run.end;
  }
  std::fill(row + x, row + width, 0.0F);
}

/// Sets the pixels of a row that belong to sources to 0. With `with_others`, as in SExtractor, also sets the pixels of
/// components (connected detected pixels) to 0 whose size excludes them from the sources.
void clear_sources(const Extraction& extraction, bool with_others, std::int64_t y, float* row) {
  for (std::int64_t i = extraction.runs.row_begin[y]; i < extraction.runs.row_begin[y + 1]; ++i)
    if (with_others || extraction.label[i] != 0)
      std::fill(row + extraction.runs.runs[i].begin, row + extraction.runs.runs[i].end, 0.0F);
}

/// Sets a row to 1 where a run covers the pixel, else to 0. A run is a sequence of detected pixels in one row. `sides`
/// has the runs brighter than the sky, and those fainter than the sky if such sources are detected.
void show_runs(const std::vector<Runs<Cpu>>& sides, std::int64_t y, float* row, std::int64_t width) {
  std::fill_n(row, width, 0.0F);
  for (const Runs<Cpu>& runs : sides)
    for (std::int64_t i = runs.row_begin[y]; i < runs.row_begin[y + 1]; ++i)
      std::fill(row + runs.runs[i].begin, row + runs.runs[i].end, 1.0F);
}

}  // namespace

CheckRows::CheckRows(const Extraction& extraction, bool as_sextractor)
    : extraction_(extraction), as_sextractor_(as_sextractor), sky_(extraction) {
  if (extraction.fitted) model_.emplace(extraction.fitted->gaussians, extraction.fitted->shape);
}

void CheckRows::fill(CheckImage which, std::int64_t y, float* row, std::int64_t width) {
  const CheckData& check = extraction_.check;
  const Image<float, Cpu>& filtered = check.filtered.pixels.empty() ? check.above : check.filtered;
  switch (which) {
    case CheckImage::background:
      return sky_.level(y, row, width);
    case CheckImage::rms:
      return as_sextractor_ ? sky_.mesh_rms(y, row, width) : sky_.rms(y, row, width);
    case CheckImage::objects:
      copy_row(check.above, y, row);
      return clear_sky(extraction_, width, y, row);
    case CheckImage::minus_objects:
      copy_row(check.above, y, row);
      return clear_sources(extraction_, as_sextractor_, y, row);
    case CheckImage::snr:
      copy_row(filtered, y, row);
      noise_.resize(static_cast<std::size_t>(width));
      sky_.rms(y, noise_.data(), width);
      std::transform(row, row + width, noise_.begin(), row,
                     [](float pixel, float rms) { return pixel_of(pixel / rms); });
      return;
    case CheckImage::model:
      if (extraction_.crowd) return fill_of_crowd(which, y, row, width);
      if (extraction_.galaxies) return copy_row(extraction_.galaxies->light, y, row);
      return model_->fill(y, row);
    case CheckImage::chi:
    case CheckImage::psf_sky:
      return fill_of_crowd(which, y, row, width);
    case CheckImage::residual:
      if (extraction_.crowd) return fill_of_crowd(which, y, row, width);
      noise_.resize(static_cast<std::size_t>(width));
      fill(CheckImage::model, y, noise_.data(), width);
      std::transform(check.above.pixels.data() + y * width, check.above.pixels.data() + (y + 1) * width, noise_.begin(),
                     row, [](float pixel, float model) { return pixel_of(pixel - model); });
      return;
    case CheckImage::islands:
      std::fill_n(row, width, 1.0F);
      return clear_sky(extraction_, width, y, row);
    case CheckImage::threshold:
      return show_runs(check.thresholded, y, row, width);
    case CheckImage::morphology:
      return show_runs(check.reshaped, y, row, width);
    case CheckImage::filtered:
      return copy_row(filtered, y, row);
    default:
      return copy_row(check.above, y, row);
  }
}

void CheckRows::fill_of_crowd(CheckImage which, std::int64_t y, float* row, std::int64_t width) {
  const CrowdFit& fit = *extraction_.crowd;
  const auto unit = static_cast<float>(fit.weight_unit);
  if (which == CheckImage::psf_sky) sky_.level(y, row, width);
  for (std::int64_t x = 0; x < width; ++x) {
    const auto i = static_cast<std::size_t>(y * width + x);
    const float weight = fit.weight[i];
    if (which == CheckImage::model) row[x] = fit.model[i];
    if (which == CheckImage::residual) row[x] = weight > 0 ? fit.residual[i] : masked_pixel;
    if (which == CheckImage::chi) row[x] = weight > 0 ? fit.residual[i] * unit * std::sqrt(weight) : masked_pixel;
    if (which == CheckImage::psf_sky)
      row[x] =
          static_cast<float>(static_cast<double>(row[x]) + fit.sky.at(static_cast<double>(x), static_cast<double>(y)));
  }
}

}  // namespace srcextract
