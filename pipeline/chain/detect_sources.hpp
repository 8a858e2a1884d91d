#pragma once

#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "stages/combine/combine.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/detect/false_discovery.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/matched_filter.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/difference/difference.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/area_above.hpp"
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
  Image<float, Where> match;            ///< of the matched filter, by which they were found, if it was used
  Value<Levels, Where> levels;
  Runs<Where> thresholded;  ///< before they were cleaned, if they were
  Runs<Where> runs;
  Runs<Where> seeds;     ///< what is above detection.seed, if sources need one
  Runs<Where> analysed;  ///< what is above detection.analysis_threshold in the image that is measured, if there is one
  Components<Where> components;
  Runs<Where> island_runs;  ///< and the components, before they were deblended, if they were
  Components<Where> islands;
  Buffer<Parentage, Where> parentage;  ///< of every source then
  Buffer<SourceSums, Where> sums;
  Buffer<SourceSums, Where> fluxes;     ///< the sums in the image itself, where sources were found in another
  Buffer<SourceSums, Where> variances;  ///< of the noise, above the background like all sums, where it is of each pixel
  Buffer<std::int64_t, Where> areas;    ///< pixels of each source that are in `analysed`
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
    auto convolved = convolve(from, make_kernel(config.convolve), config.convolve.edges, found.background, where);
    // What was weighed is matched once levels are known.
    if (config.convolve.filter == Filter::matched) found.match = std::move(found.image);
    found.image = std::move(convolved);
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

/// The noise of each pixel, if it is known, and thresholds are counted in it.
template <class Where>
NoiseMap<Where> noise_of_pixels(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found) {
  if (counts_in_sigmas(config.detection) && !pixels.variance.pixels.empty())
    return {.variance = &measured_variance(pixels, found)};
  return {.mesh = noise_varies(config) ? &found.mesh : nullptr};
}

/// Segments the image by the noise of each pixel, if that is known.
template <class Where>
Runs<Where> threshold(const Image<float, Where>& image, const Value<Levels, Where>& levels, const Pixels<Where>& pixels,
                      const Config& config, const Detection<Where>& found, const Where& where) {
  const NoiseMap<Where> noise = noise_of_pixels(pixels, config, found);
  if (noise.variance != nullptr) return find_runs(image, levels, *noise.variance, where);
  return noise.mesh != nullptr ? find_runs(image, levels, *noise.mesh, where) : find_runs(image, levels, where);
}

/// The same in the image in which sources are found, or by what the matched filter has made of it.
template <class Where>
Runs<Where> threshold_found(const Image<float, Where>& image, const Value<Levels, Where>& levels,
                            const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                            const Where& where) {
  if (found.match.pixels.empty()) return threshold(image, levels, pixels, config, found, where);
  return find_runs(found.match, levels_of_match(levels, where), where);
}

/// The matched filter of the image that is measured, or of what it was weighed to, whose noise is one.
template <class Where>
Image<float, Where> match(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                          const Where& where) {
  const bool weighed = !found.match.pixels.empty();
  const Image<float, Where>& image = weighed ? found.match : measured_image(pixels, found);
  const NoiseMap<Where> noise = weighed ? NoiseMap<Where>{} : noise_of_pixels(pixels, config, found);
  return matched_filter(image, make_kernel(config.convolve), found.background, found.levels, noise, where);
}

/// The threshold that the rate of false discoveries asks for; the levels of `found` are those of 1.
template <class Where>
Value<double, Where> threshold_of_rate(const Image<float, Where>& image, const Pixels<Where>& pixels,
                                       const Config& config, const Detection<Where>& found, const Where& where) {
  if (found.match.pixels.empty())
    return false_discovery_threshold(image, found.levels, noise_of_pixels(pixels, config, found), config.detection,
                                     where);
  return false_discovery_threshold(found.match, levels_of_match(found.levels, where), NoiseMap<Where>{},
                                   config.detection, where);
}

/// The configuration with another threshold, as that of the seeds.
inline Config with_threshold(Config config, double threshold) {
  config.detection.threshold = threshold;
  return config;
}

/// Finds what is above the threshold in the image in which sources are found, what seeds them, and what is above the
/// analysis threshold in the image that is measured.
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

  const auto levels_at = [&](double level) {
    Value<Levels, Where> levels = resolve_levels(found.background, detected, with_threshold(config, level), where);
    if (scaled) set_noise_scale(levels, scale, where);
    return levels;
  };
  const bool by_rate = controls_false_discoveries(config.detection);
  found.levels = levels_at(by_rate ? 1 : config.detection.threshold);
  if (config.convolve.filter == Filter::matched) {
    found.match = match(pixels, config, found, where);
    done("match");
  }
  if (by_rate) {
    raise_levels(found.levels, threshold_of_rate(image, pixels, config, found, where), where);
    done("false discoveries");
  }
  found.runs = threshold_found(image, found.levels, pixels, config, found, where);
  done("threshold");
  if (config.detection.seed != 0) {
    found.seeds = threshold_found(image, levels_at(config.detection.seed), pixels, config, found, where);
    done("seed");
  }
  if (config.detection.analysis_threshold != 0) {
    found.analysed = threshold(measured_image(pixels, found), levels_at(config.detection.analysis_threshold), pixels,
                               config, found, where);
    done("analysis");
  }
}

/// Tells sources that touch from one another: `image` is the one in which they were found.
template <class Where>
void deblend(const Image<float, Where>& image, const Pixels<Where>& pixels, const Config& config,
             Detection<Where>& found, const Where& where) {
  const bool of_map = counts_in_sigmas(config.detection) && !pixels.variance.pixels.empty();
  const DeblendImages<Where> images{image, measured_image(pixels, found), found.levels,
                                    !of_map && noise_varies(config) ? &found.mesh : nullptr,
                                    of_map ? &measured_variance(pixels, found) : nullptr};
  Deblended<Where> deblended = deblend_sources(images, found.runs, found.components, config, where);
  found.island_runs = std::exchange(found.runs, std::move(deblended.runs));
  found.islands = std::exchange(found.components, std::move(deblended.components));
  found.parentage = std::move(deblended.parentage);
}

/// Whether these pixels are read once the sky is subtracted from them, by the steps alone.
template <class Where>
bool are_read_again(const Pixels<Where>& pixels) {
  return !pixels.kept.pixels.empty() || !pixels.variance.pixels.empty();
}

/// The steps from pixels to sums over sources, on `Where`; on a device nothing waits. After each step
/// `done(stage)` is called; and `done.on_sources(components)`, if there is one, before anything is kept of sources.
/// `last_read`, on the host: pixels.image, if nobody reads it afterwards, nor these steps (are_read_again); its memory
/// may go to what is found.
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
  if (config.deblend.method != DeblendMethod::none) {
    deblend(image, pixels, config, found, where);
    done("deblend");
  }
  if constexpr (requires { done.on_sources(found.components); }) done.on_sources(found.components);

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
  if (config.detection.analysis_threshold != 0) {
    found.areas = area_above(found.runs, found.components, found.analysed, where);
    done("area");
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
  if (!found.match.pixels.empty()) record_stage("match", found.match, record);
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
    record_stage("parentage", found.parentage, record);
  }
  record_stage("measure", found.sums, record);
  if (!found.image.pixels.empty()) record_stage("flux", found.fluxes, record);
  if (!found.variances.empty()) record_stage("variance", found.variances, record);
  if (found.analysed.row_begin.empty()) return;
  record_stage("analysis", found.analysed, record);
  record_stage("area", found.areas, record);
}

}  // namespace srcextract
