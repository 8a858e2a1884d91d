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

/// The sky of the image in which sources were found, if another is measured. It is on the host, for the catalogue.
struct FoundSky {
  Value<Background, Cpu> background, whole;  ///< as in Detection
  SkyMesh<Cpu> mesh;
  Value<Levels, Cpu> levels;
  Buffer<SourceSums, Cpu> variances;
  Buffer<float, Cpu> least_variance;
  Value<MaskCounts, Cpu> masked;
  const Config* config = nullptr;  ///< configuration of that image; null: the measured image is that image
};

/// Results of the steps for an image, in the memory of the back end.
template <class Where>
struct Detection {
  Value<Background, Where> background;  ///< sky of the image, or of the image above the mesh
  BrightQuads<Where> bright;            ///< quads with bright pixels of the image, if its sky is one level
  SkyMesh<Where> mesh;                  ///< set if the background is a mesh
  Value<Background, Where> whole;       ///< with a mesh: sky of the image itself
  Image<float, Where> above;            ///< with a mesh: the image above it, which later steps use
  Value<double, Where> noise_scale;     ///< scale of the variances of a map that gives only their ratios
  Interpolated<Where> filled;           ///< image and variance without gaps, if interpolated; later steps use them
  Image<float, Where> image;            ///< image in which sources were found, unless it is the image itself
  Image<float, Where> match;            ///< result of the matched filter, in which sources were found, if used
  Image<float, Where> variance;         ///< for thresholds, if it was convolved as well
  Value<Levels, Where> levels;
  Runs<Where> thresholded;  ///< runs before morphological cleaning, if there was any
  Runs<Where> runs;
  Runs<Where> seeds;     ///< above detection.seed, if sources need a seed
  Runs<Where> analysed;  ///< above detection.analysis_threshold in the measured image, if there is one
  Components<Where> components;
  Runs<Where> island_runs;  ///< runs and components before deblending, if there was any
  Components<Where> islands;
  Buffer<Parentage, Where> parentage;  ///< per source, if sources were deblended or cleaned
  CorePixels<Where> core_pixels;       ///< set if sources were deblended and are to be cleaned
  Cleaned<Where> cleaned;  ///< if cleaned; without components and parentage, which move to the members above
  Buffer<SourceSums, Where> sums;
  Buffer<SourceSums, Where> fluxes;     ///< sums in the image itself, if sources were found in another
  Buffer<SourceSums, Where> variances;  ///< sums of the noise above the background, if each pixel has its own
  /// The least variance of each source's pixels, if thresholds follow the noise of each pixel. It is that in the image
  /// in which sources were found, or from the mesh of another image that is measured.
  Buffer<float, Where> least_variance;
  Buffer<std::int64_t, Where> areas;   ///< number of pixels of each source in `analysed`
  Photometry<Where> photometry;        ///< results of the families that were asked for
  std::optional<ApertureNoise> noise;  ///< noise of sums in the measured image, on the host, if asked for
  FoundSky found_in;  ///< set for dual images; background, levels and so on are then of the measured image
};

/// Copies in the memory of the original. Those for a device are in pipeline/engine/results.hpp.
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

/// The measured image, after the last step that was applied to it.
template <class Where>
const Image<float, Where>& measured_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  if (!found.filled.image.pixels.empty()) return found.filled.image;
  if (!found.above.pixels.empty()) return found.above;
  return pixels.kept.pixels.empty() ? pixels.image : pixels.kept;
}

/// The variance of each pixel of the measured image, if there is a map of weights.
template <class Where>
const Image<float, Where>& measured_variance(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.filled.variance.pixels.empty() ? pixels.variance : found.filled.variance;
}

/// The image in which sources are found: the measured image, unless it was convolved or weighed.
template <class Where>
const Image<float, Where>& found_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.image.pixels.empty() ? measured_image(pixels, found) : found.image;
}

/// The variance of each pixel of the measured image, from any source; without pixels if all are alike.
template <class Where>
const Image<float, Where>& measured_noise(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return pixels.variance.pixels.empty() ? pixels.noise : measured_variance(pixels, found);
}

/// Whether the mesh gives the noise of every pixel, and thresholds follow it.
inline bool noise_varies(const Config& config) {
  return config.background.method == BackgroundMethod::mesh && config.weights.type == WeightType::background &&
         counts_in_sigmas(config.detection);
}

/// The noise of each pixel, if it is known and thresholds follow it.
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

/// Appends the results of the steps to the record, stage by stage. All of them must be on the host.
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
  if (cleaned) record_stage("morphology", labelled, record);
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
