#pragma once

#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/find_foreground.hpp"
#include "stages/clean/clean_sources.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/difference/difference.hpp"
#include "stages/measure/area_above.hpp"
#include "stages/measure/measure.hpp"
#include "stages/photometry/photometry.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/given_sky.hpp"
#include "stages/weights/convolve_variance.hpp"
#include "stages/weights/interpolate.hpp"

namespace srcextract {

/// Estimates the parts of the sky that are not given, from unmasked pixels. With a mesh, the image above the mesh
/// replaces the image in all later steps; it takes the memory of `last_read`, if there is one. Returns the sky of the
/// image that later steps use.
template <class Where, class Done>
Value<Background, Where> find_sky(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
                                  const Where& where, Done&& done, Image<float, Where>* last_read) {
  const Image<float, Where>& image = pixels.image;
  const GivenSky given = given_sky(config.given_sky);
  if (config.background.method == BackgroundMethod::constant) {
    auto sky = estimate_background(image, config.background, where, found.bright);
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
  } else {  // runs again on the same pixels if there was too little room, so their memory is not reused
    found.above = subtract_sky(from, found.mesh, where);
  }
  done("subtract");
  return std::move(sky.above);
}

/// Makes the image in which sources are found, unless it is `image` itself: weighed to uniform noise, and convolved.
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
    // The matched filter needs the weighed image after levels are known.
    if (config.convolve.filter == Filter::matched) found.match = std::move(found.image);
    found.image = std::move(convolved);
    done("convolve");
  }
}

/// Splits sources that touch. `image` is the one in which they were found.
template <class Where>
void deblend(const Image<float, Where>& image, const Pixels<Where>& pixels, const Config& config,
             Detection<Where>& found, const Where& where) {
  const DeblendImages<Where> images{image, measured_image(pixels, found), found.levels,
                                    noise_of_found(pixels, config, found)};
  Deblended<Where> deblended = deblend_sources(images, found.runs, found.components, config, where);
  found.island_runs = std::exchange(found.runs, std::move(deblended.runs));
  found.islands = std::exchange(found.components, std::move(deblended.components));
  found.parentage = std::move(deblended.parentage);
  found.core_pixels = std::move(deblended.core_pixels);
}

/// Merges sources into brighter ones in whose wings they lie.
template <class Where>
void clean(const Image<float, Where>& image, const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
           const Where& where) {
  const DeblendImages<Where> images{image, measured_image(pixels, found), found.levels,
                                    noise_of_found(pixels, config, found)};
  const bool deblended = !found.parentage.empty();
  const Buffer<SourceSums, Where> sums =
      measure_sources(image, found.runs, found.components, found.levels, pixels.masked, where);
  const Uncleaned<Where> sources{found.runs,
                                 found.components,
                                 deblended ? found.island_runs : found.runs,
                                 deblended ? found.islands : found.components,
                                 found.core_pixels,
                                 found.parentage,
                                 sums};
  const std::int64_t kernel_rows =
      config.convolve.kernel != KernelShape::none ? make_kernel(config.convolve).height : 1;
  found.cleaned = clean_sources(images, sources, config, kernel_rows, where);
  found.components = std::move(found.cleaned.components);
  found.parentage = std::move(found.cleaned.parentage);
  found.core_pixels = {};
}

/// Finds the least noise of each source's own pixels in the image in which it was found, if thresholds follow the noise
/// of each pixel. Eaten pixels do not count, as in SExtractor.
template <class Where>
void find_least_variance(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
                         const Where& where) {
  found.least_variance =
      least_variance(noise_of_found(pixels, config, found), found.runs, own_components(config, found), where);
}

/// Counts each source's pixels in `analysed`, if there is an analysis threshold. As in SExtractor, ISOAREA_IMAGE of
/// eaten sources is not added.
template <class Where, class Done>
void find_areas(const Runs<Where>& analysed, const Config& config, Detection<Where>& found, const Where& where,
                Done&& done) {
  if (config.detection.analysis_threshold == 0) return;
  found.areas = area_above(found.runs, own_components(config, found), analysed, where);
  done("area");
}

/// Input of photometry: the sources without eaten pixels, in `image`, above its levels.
template <class Where>
PhotometryInput<Where> photometry_input(const Image<float, Where>& image, const Image<float, Where>& noise,
                                        const Value<Levels, Where>& levels, const Config& config,
                                        const Detection<Where>& found) {
  const bool cleaned = config.deblend.clean;
  return {image,
          noise,
          levels,
          found.runs,
          own_components(config, found),
          cleaned ? found.cleaned.own_sums : found.sums,
          found.parentage,
          cleaned ? &found.cleaned.eaten : nullptr};
}

/// Whether the steps themselves read these pixels again after subtracting the sky.
template <class Where>
bool are_read_again(const Pixels<Where>& pixels) {
  return !pixels.kept.pixels.empty() || !pixels.variance.pixels.empty();
}

/// Finds the sky and, from it, the scale of a map of weights, and subtracts it. Interpolates gaps if the configuration
/// asks for it.
template <class Where, class Done>
void subtract_own_sky(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                      Done&& done, Image<float, Where>* last_read) {
  found.background = find_sky(pixels, config, found, where, done, last_read);
  const bool has_scale = has_ratios(pixels, config);
  if (has_scale) found.noise_scale = scale_of_noise(pixels, config, found, where);
  if (interpolates(config.weights) && !pixels.variance.pixels.empty()) {
    found.filled = interpolate_bad(measured_image(pixels, found), pixels.variance, config.weights, where,
                                   has_scale ? &found.noise_scale : nullptr);
    done("interpolate");
  }
}

/// The steps from pixels to sources: finds which pixels belong to which source.
template <class Where, class Done>
void find_sources(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                  Done&& done, Image<float, Where>* last_read) {
  subtract_own_sky(pixels, config, found, where, done, last_read);
  const Image<float, Where>& measured = measured_image(pixels, found);
  make_detection_image(measured, pixels.noise, config, found, where, done);
  if (convolves_variance(config)) {
    found.variance =
        convolve_variance(measured_variance(pixels, found), make_kernel(config.convolve), config.convolve.edges, where);
    done("convolve variance");
  }
  const Image<float, Where>& image = found_image(pixels, found);
  find_foreground(image, pixels, config, found, where, done);
  if (config.morphology.operation != MorphologicalOperation::none) {
    found.thresholded = std::exchange(found.runs, apply_morphology(found.runs, config.morphology, where));
    done("morphology");
  }

  const bool seeded = config.detection.seed != 0;
  found.components = label_components(found.runs, config.detection, where, seeded ? &found.seeds : nullptr);
  done("label");
  constexpr bool tells_of_sources = requires {
    done.on_sources(found.components);
  };
  if constexpr (tells_of_sources) done.on_sources(found.components);
  if (config.deblend.method != DeblendMethod::none) {
    if constexpr (tells_of_sources) done.before_deblending(found.runs, found.components);
    deblend(image, pixels, config, found, where);
    done("deblend");
    if constexpr (tells_of_sources) done.on_sources(found.components);
  }

  if (config.deblend.clean) {
    clean(image, pixels, config, found, where);
    done("clean sources");
  }
}

/// The steps from pixels to sums over sources, on `Where`; nothing waits for a device. Callbacks:
/// - done(stage) after each step;
/// - done.on_sources(components), if it exists, before memory for sources is taken;
/// - done.before_deblending(runs, components), if it exists.
///
/// `last_read`, on the host, is pixels.image if no one reads it later, not even these steps (are_read_again). Its
/// memory may be reused for results.
template <class Where, class Done>
Detection<Where> detect_sources(const Pixels<Where>& pixels, const Config& config, const Where& where, Done&& done,
                                Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  find_sources(pixels, config, found, where, done, last_read);
  const Image<float, Where>&measured = measured_image(pixels, found), &image = found_image(pixels, found);
  found.sums = measure_sources(image, found.runs, found.components, found.levels, pixels.masked, where);
  find_least_variance(pixels, config, found, where);
  done("measure");
  if (&image != &measured) {
    found.fluxes = measure_sources(measured, found.runs, found.components, found.levels, pixels.masked, where);
    done("flux");
  }
  const Image<float, Where>& noise = measured_noise(pixels, found);
  if (!noise.pixels.empty()) {
    found.variances = measure_sources(noise, found.runs, found.components, found.levels, pixels.masked, where);
    done("variance");
  }
  find_areas(found.analysed, config, found, where, done);
  if (measures_photometry(config)) {
    PhotometryInput<Where> input = photometry_input(measured, noise, found.levels, config, found);
    if (noise_varies(config)) input.least_variance = &found.least_variance;
    found.photometry = measure_photometry(input, config, where);
    done("photometry");
  }
  return found;
}

}  // namespace srcextract
