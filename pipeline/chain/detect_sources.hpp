#pragma once

#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "stages/combine/combine.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/difference/difference.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/measure.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/given_sky.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/weights/interpolate.hpp"
#include "stages/weights/noise_scale.hpp"

namespace srcextract {

/// What the steps find in an image, where they ran.
template <class Where>
struct Detection {
  Value<Background, Where> background;  ///< of the image, or of what it has above the mesh
  SkyMesh<Where> mesh;                  ///< if the background is one
  Value<Background, Where> whole;       ///< then that of the image itself
  Image<float, Where> above;            ///< and what it has above it: to all that follows this is the image
  Interpolated<Where> filled;           ///< the same without gaps, where they were interpolated: then this is the image
  Image<float, Where> image;            ///< in which sources were found, unless it is the image itself
  Value<Levels, Where> levels;
  Runs<Where> thresholded;  ///< before they were cleaned, if they were
  Runs<Where> runs;
  Runs<Where> seeds;  ///< what is above detection.seed, if sources need one
  Components<Where> components;
  Buffer<SourceSums, Where> sums;
  Buffer<SourceSums, Where> fluxes;     ///< the sums in the image itself, where sources were found in another
  Buffer<SourceSums, Where> variances;  ///< of the noise, above the background like all sums, where it is of each pixel
};

/// Estimates what is not given of the sky, of the pixels that are not masked. What is worked on from there is the
/// image, or what it has above a mesh, which takes the memory of `last_read` if there is one: returns the sky of that.
template <class Where, class Done>
Value<Background, Where> find_sky(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
                                  const Where& where, Done&& done, Image<float, Where>* last_read) {
  const Image<float, Where>& image = pixels.image;
  const GivenSky given = given_sky(config.given_sky);
  if (config.background.method == BackgroundMethod::constant) {
    auto sky = estimate_background(image, config.background, where);
    if (given.any()) give_sky(given, sky, where);
    done("background");
    return sky;
  }
  MeshSky<Where> sky = estimate_mesh(image, config.background, where);
  if (given.any()) give_sky(given, sky, where);
  found.mesh = std::move(sky.mesh);
  found.whole = std::move(sky.background);
  done("background");
  const Image<float, Where>& from = pixels.kept.pixels.empty() ? image : pixels.kept;
  if constexpr (std::is_same_v<Where, Cpu>) {
    found.above = last_read != nullptr ? subtract_sky(std::move(*last_read), found.mesh, where)
                                       : subtract_sky(from, found.mesh, where);
  } else {  // its graph is launched again for the same pixels if it had too little room
    found.above = subtract_sky(from, found.mesh, where);
  }
  done("subtract");
  return std::move(sky.above);
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

/// Makes the image in which sources are found, if it is not `image` itself: as noisy as its sky all over, convolved.
template <class Where, class Done>
void make_detection_image(const Image<float, Where>& image, const Image<float, Where>& noise, const Config& config,
                          Detection<Where>& found, const Where& where, Done&& done) {
  if (!noise.pixels.empty()) {
    found.image = weigh_pixels(image, noise, found.background, where);
    done("weigh");
  }
  if (config.convolve.kernel != KernelShape::none) {
    const Image<float, Where>& from = found.image.pixels.empty() ? image : found.image;
    found.image = convolve(from, make_kernel(config.convolve), config.convolve.edges, found.background, where);
    done("convolve");
  }
}

/// Whether the noise of every pixel is known from the mesh, and thresholds are counted in it.
inline bool noise_varies(const Config& config) {
  return config.background.method == BackgroundMethod::mesh && config.weights.type == WeightType::background &&
         counts_in_sigmas(config.detection);
}

/// What the roots of the variances of a map of weights are to be multiplied by.
template <class Where>
Value<double, Where> scale_of_noise(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                                    const Where& where) {
  if (!found.mesh.level.empty())
    return noise_scale(pixels.image, pixels.variance, found.mesh, config.background, where);
  return noise_scale(found.background, estimate_background(pixels.variance, config.background, where), where);
}

/// Segments the image by the noise of each pixel, if it is known, and thresholds are counted in it.
template <class Where>
Runs<Where> threshold(const Image<float, Where>& image, const Value<Levels, Where>& levels, const Pixels<Where>& pixels,
                      const Config& config, const Detection<Where>& found, const Where& where) {
  const bool in_noise = counts_in_sigmas(config.detection);
  if (in_noise && !pixels.variance.pixels.empty())
    return find_runs(image, levels, measured_variance(pixels, found), where);
  return noise_varies(config) ? find_runs(image, levels, found.mesh, where) : find_runs(image, levels, where);
}

/// The configuration whose threshold is the seeds'.
inline Config for_seeds(Config config) {
  config.detection.threshold = config.detection.seed;
  return config;
}

/// Finds what is above the threshold in the image in which sources are found, and what seeds them.
template <class Where, class Done>
void find_foreground(const Image<float, Where>& image, const Pixels<Where>& pixels, const Config& config,
                     Detection<Where>& found, const Where& where, Done&& done) {
  const bool in_own_noise =
      !found.image.pixels.empty() && config.detection.threshold_unit == ThresholdUnit::detection_sigma;
  Value<Background, Where> own;
  if (in_own_noise) own = estimate_background(image, config.background, where);
  const Value<Background, Where>& detected = in_own_noise ? own : found.background;
  const bool scaled = !pixels.variance.pixels.empty() && is_rescaled(config.weights);
  Value<double, Where> scale;
  if (scaled) scale = scale_of_noise(pixels, config, found, where);

  found.levels = resolve_levels(found.background, detected, config, where);
  if (scaled) set_noise_scale(found.levels, scale, where);
  found.runs = threshold(image, found.levels, pixels, config, found, where);
  done("threshold");
  if (config.detection.seed == 0) return;
  Value<Levels, Where> of_seeds = resolve_levels(found.background, detected, for_seeds(config), where);
  if (scaled) set_noise_scale(of_seeds, scale, where);
  found.seeds = threshold(image, of_seeds, pixels, config, found, where);
  done("seed");
}

/// Whether these pixels are read once the sky is subtracted from them, by the steps alone.
template <class Where>
bool are_read_again(const Pixels<Where>& pixels) {
  return !pixels.kept.pixels.empty() || !pixels.variance.pixels.empty();
}

/// The steps from pixels to sums over sources, on `Where`; on a device nothing waits. After each step
/// `done(stage)` is called. `last_read`, on the host: pixels.image, if nobody reads it afterwards, nor these steps
/// (are_read_again); its memory may go to what is found.
template <class Where, class Done>
Detection<Where> detect_sources(const Pixels<Where>& pixels, const Config& config, const Where& where, Done&& done,
                                Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  found.background = find_sky(pixels, config, found, where, done, last_read);
  if (interpolates(config.weights) && !pixels.variance.pixels.empty()) {
    found.filled = interpolate_bad(measured_image(pixels, found), pixels.variance, config.weights, where);
    done("interpolate");
  }
  const Image<float, Where>& measured = measured_image(pixels, found);

  make_detection_image(measured, pixels.noise, config, found, where, done);
  const bool in_another = !found.image.pixels.empty();
  const Image<float, Where>& image = in_another ? found.image : measured;
  find_foreground(image, pixels, config, found, where, done);
  if (config.clean.operation != CleanOperation::none) {
    found.thresholded = std::exchange(found.runs, clean_runs(found.runs, config.clean, where));
    done("clean");
  }

  const bool seeded = config.detection.seed != 0;
  found.components = label_components(found.runs, config.detection, where, seeded ? &found.seeds : nullptr);
  done("label");

  found.sums = measure_sources(image, found.runs, found.components, found.levels, pixels.masked, where);
  done("measure");
  if (in_another) {
    found.fluxes = measure_sources(measured, found.runs, found.components, found.levels, pixels.masked, where);
    done("flux");
  }
  const Image<float, Where>& noise = pixels.variance.pixels.empty() ? pixels.noise : measured_variance(pixels, found);
  if (!noise.pixels.empty()) {
    found.variances = measure_sources(noise, found.runs, found.components, found.levels, pixels.masked, where);
    done("variance");
  }
  return found;
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
  record_stage("levels", *found.levels, record);
  const bool cleaned = !found.thresholded.row_begin.empty();
  record_stage("threshold", cleaned ? found.thresholded : found.runs, record);
  if (!found.seeds.row_begin.empty()) record_stage("seed", found.seeds, record);
  if (cleaned) record_stage("clean", found.runs, record);
  record_stage("label", found.components, record);
  record_stage("measure", found.sums, record);
  if (!found.image.pixels.empty()) record_stage("flux", found.fluxes, record);
  if (!found.variances.empty()) record_stage("variance", found.variances, record);
}

}  // namespace srcextract
