#pragma once

#include <algorithm>
#include <optional>

#include "config/config.hpp"
#include "stages/clean/clean_sources.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/measure/area_above.hpp"
#include "stages/measure/least_variance.hpp"
#include "stages/measure/measure.hpp"
#include "stages/photometry/families.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/weights/interpolate.hpp"

namespace srcextract {

/// The sky of the image in which sources were found, where another is measured; for the catalogue, so on the host.
struct FoundSky {
  Value<Background, Cpu> background, whole;  ///< as of Detection
  SkyMesh<Cpu> mesh;
  Value<Levels, Cpu> levels;
  Buffer<SourceSums, Cpu> variances;
  Buffer<float, Cpu> least_variance;
  Value<MaskCounts, Cpu> masked;
  const Config* config = nullptr;  ///< with which it was found; null: the image that is measured is that one
};

/// What the steps find in an image, where they ran.
template <class Where>
struct Detection {
  Value<Background, Where> background;  ///< of the image, or of what it has above the mesh
  BrightQuads<Where> bright;            ///< of the image, if its sky is one level
  SkyMesh<Where> mesh;                  ///< if the background is one
  Value<Background, Where> whole;       ///< then that of the image itself
  Image<float, Where> above;            ///< and what it has above it: to all that follows this is the image
  Value<double, Where> noise_scale;     ///< of the variances of a map, if it tells their ratios alone
  Interpolated<Where> filled;           ///< the same without gaps, where they were interpolated: then this is the image
  Image<float, Where> image;            ///< in which sources were found, unless it is the image itself
  Image<float, Where> match;            ///< of the matched filter, by which they were found, if it was used
  Image<float, Where> variance;         ///< by which they were found, if it was convolved as well
  Value<Levels, Where> levels;
  Runs<Where> thresholded;  ///< before they were cleaned, if they were
  Runs<Where> runs;
  Runs<Where> seeds;     ///< what is above detection.seed, if sources need one
  Runs<Where> analysed;  ///< what is above detection.analysis_threshold in the image that is measured, if there is one
  Components<Where> components;
  Runs<Where> island_runs;  ///< and the components, before they were deblended, if they were
  Components<Where> islands;
  Buffer<Parentage, Where> parentage;  ///< of every source then, or if some were eaten
  CorePixels<Where> core_pixels;       ///< of sources that were deblended and are to be cleaned
  Cleaned<Where> cleaned;  ///< which pixels are whose own, if some were eaten; what is left has its place here
  Buffer<SourceSums, Where> sums;
  Buffer<SourceSums, Where> fluxes;     ///< the sums in the image itself, where sources were found in another
  Buffer<SourceSums, Where> variances;  ///< of the noise, above the background like all sums, where it is of each pixel
  /// The least variance of each source's pixels, where thresholds are counted in that of each pixel: in the image in
  /// which they were found, or by the mesh of another that is measured.
  Buffer<float, Where> least_variance;
  Buffer<std::int64_t, Where> areas;   ///< pixels of each source that are in `analysed`
  Photometry<Where> photometry;        ///< what was asked for in apertures
  std::optional<ApertureNoise> noise;  ///< of sums in the image that is measured, on the host, if it is asked for
  FoundSky found_in;                   ///< then background, levels and what follows are of the image that is measured
};

/// Copies where the originals are; those of a device are in pipeline/engine/results.hpp.
template <class T>
Buffer<T, Cpu> copy_of(const Buffer<T, Cpu>& buffer, const Cpu& where) {
  Buffer<T, Cpu> copy(buffer.size(), where);
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}
template <class T>
Value<T, Cpu> copy_of(const Value<T, Cpu>& value, const Cpu&) {
  return value;
}
template <class Where>
Image<float, Where> copy_of(const Image<float, Where>& image, const Where& where) {
  Image<float, Where> copy;
  copy.shape = image.shape;
  copy.pixels = copy_of(image.pixels, where);
  return copy;
}

/// The image that is measured, and to which the last steps were done.
template <class Where>
const Image<float, Where>& measured_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  if (!found.filled.image.pixels.empty()) return found.filled.image;
  if (!found.above.pixels.empty()) return found.above;
  return pixels.kept.pixels.empty() ? pixels.image : pixels.kept;
}

/// The variance of each of its pixels, if a map of weights tells it.
template <class Where>
const Image<float, Where>& measured_variance(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.filled.variance.pixels.empty() ? pixels.variance : found.filled.variance;
}

/// The image in which sources are found: that, unless it was convolved or weighed.
template <class Where>
const Image<float, Where>& found_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.image.pixels.empty() ? measured_image(pixels, found) : found.image;
}

/// The variance of each of its pixels, however it is known; without pixels where they are alike.
template <class Where>
const Image<float, Where>& measured_noise(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return pixels.variance.pixels.empty() ? pixels.noise : measured_variance(pixels, found);
}

/// Whether the noise of every pixel is known from the mesh, and thresholds are counted in it.
inline bool noise_varies(const Config& config) {
  return config.background.method == BackgroundMethod::mesh && config.weights.type == WeightType::background &&
         counts_in_sigmas(config.detection);
}

/// The noise of each pixel, if it is known, and thresholds are counted in it.
template <class Where>
NoiseMap<Where> noise_of_pixels(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found) {
  if (counts_in_sigmas(config.detection) && !pixels.variance.pixels.empty())
    return {.variance = &measured_variance(pixels, found)};
  return {.mesh = noise_varies(config) ? &found.mesh : nullptr};
}

/// Whether the variances of a map are convolved for the thresholds of the image in which sources are found.
inline bool convolves_variance(const Config& config) {
  return has_map(config.weights) && config.weights.convolve && config.convolve.kernel != KernelShape::none &&
         config.convolve.filter != Filter::matched && counts_in_sigmas(config.detection);
}

/// The noise of each pixel of the image in which sources are found, for their thresholds.
template <class Where>
NoiseMap<Where> noise_of_found(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found) {
  if (!found.variance.pixels.empty()) return {.variance = &found.variance};
  return noise_of_pixels(pixels, config, found);
}

/// Appends what the steps have found to the record, stage by stage; all of it must be on the host.
inline void record_detection(const Detection<Cpu>& found, StageRecord& record) {
  const bool of_mesh = !found.above.pixels.empty();
  record_stage("background", of_mesh ? *found.whole : *found.background, record);
  if (of_mesh) {
    record_stage("mesh", found.mesh, record);
    record_stage("subtract", found.above, record);
  }
  if (!found.filled.image.pixels.empty()) record_stage("interpolate", found.filled, record);
  if (!found.image.pixels.empty()) record_stage("detection image", found.image, record);
  if (!found.match.pixels.empty()) record_stage("match", found.match, record);
  if (!found.variance.pixels.empty()) record_stage("convolved variance", found.variance, record);
  record_stage("levels", *found.levels, record);
  const bool cleaned = !found.thresholded.row_begin.empty();
  const bool deblended = !found.island_runs.row_begin.empty();
  const Runs<Cpu>& labelled = deblended ? found.island_runs : found.runs;
  record_stage("threshold", cleaned ? found.thresholded : labelled, record);
  if (!found.seeds.row_begin.empty()) record_stage("seed", found.seeds, record);
  if (cleaned) record_stage("clean", labelled, record);
  record_stage("label", deblended ? found.islands : found.components, record);
  if (deblended) {
    record_stage("deblended runs", found.runs, record);
    record_stage("deblended labels", found.components, record);
  }
  if (!found.parentage.empty()) record_stage("parentage", found.parentage, record);
  if (!found.cleaned.eaten.empty()) record_stage("clean sources", found.cleaned, record);
  record_stage("measure", found.sums, record);
  if (!found.image.pixels.empty() || !found.fluxes.empty()) record_stage("flux", found.fluxes, record);
  if (!found.variances.empty()) record_stage("variance", found.variances, record);
  if (!found.least_variance.empty()) record_stage("least variance", found.least_variance, record);
  if (!found.analysed.row_begin.empty()) {
    record_stage("analysis", found.analysed, record);
    record_stage("area", found.areas, record);
  }
  for_each_family([&]<class One>(auto&& rows_of) {
    if (rows_of(found.photometry).each > 0) record_stage(One::name, rows_of(found.photometry).rows, record);
  });
}

}  // namespace srcextract
