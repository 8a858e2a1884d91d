#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/given_sky.hpp"
#include "stages/sky/mask_bright.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/weights/interpolate.hpp"
#include "stages/weights/mask.hpp"
#include "stages/weights/noise_scale.hpp"

namespace srcextract {

/// The mesh of an image without its sources: what is above the sky of `first` by most of the seed, and a beam around.
/// Below 4 sigma that would be noise of one side, without which level and noise are too low.
/// Few sources are left, so that pixels are clipped at no less than 3.5 sigma: a clip at 3 makes sigma 1.5 % too small.
template <class Where>
MeshSky<Where> estimate_without_sources(const Image<float, Where>& image, const SkyMesh<Where>& first,
                                        const Config& config, const Where& where) {
  constexpr double least_kappa = 3.5, least_of_seed = 0.8, least_bright = 4;
  BrightRule rule;
  if (counts_in_sigmas(config.detection))
    rule.least = std::max(least_bright, least_of_seed * std::max(config.detection.threshold, config.detection.seed));
  if (const auto& beam = config.resources.beam) rule.margin = static_cast<std::int64_t>(std::ceil(beam->major));
  BackgroundConfig second = config.background;
  second.kappa = std::max(second.kappa, least_kappa);
  return estimate_mesh(mask_bright(image, first, rule, where), second, where);
}

/// Estimates the parts of the sky that are not given, from unmasked pixels. One level for the whole image has only
/// `background`, and leaves `bright`, if there is one, for find_foreground.
template <class Where>
MeshSky<Where> estimate_sky(const Image<float, Where>& image, const Config& config, const Where& where,
                            BrightQuads<Where>* bright = nullptr) {
  const GivenSky given = given_sky(config.given_sky);
  if (config.background.method == BackgroundMethod::mesh) {
    MeshSky<Where> sky = estimate_mesh(image, config.background, where);
    if (config.background.refine > 1) sky = estimate_without_sources(image, sky.mesh, config, where);
    if (given.any()) give_sky(given, sky, where);
    return sky;
  }
  MeshSky<Where> sky;
  sky.background = bright != nullptr ? estimate_background(image, config.background, where, *bright)
                                     : estimate_background(image, config.background, where);
  if (given.any()) give_sky(given, sky.background, where);
  return sky;
}

/// The sky of an image whose sky was one level, after that was subtracted.
template <class Where>
Value<Background, Where> sky_above(const Value<Background, Where>& sky, const Where& where) {
  Value<Background, Where> above = copy_of(sky, where);
  give_sky(GivenSky{.level = true}, above, where);
  return above;
}

/// The image above the mesh. On the host it takes the memory of `last_read`, if there is one. A device may
/// run again on the same pixels with more room, so their memory is not reused.
template <class Where>
Image<float, Where> subtract_mesh(const Pixels<Where>& pixels, const SkyMesh<Where>& mesh, const Where& where,
                                  [[maybe_unused]] Image<float, Where>* last_read = nullptr) {
  if constexpr (std::is_same_v<Where, Cpu>)
    if (last_read != nullptr) return subtract_sky(std::move(*last_read), mesh, where);
  return subtract_sky(pixels.kept.pixels.empty() ? pixels.image : pixels.kept, mesh, where);
}

/// Finds the sky. With a mesh, the image above the mesh replaces the image in all later steps, and `background` is the
/// sky of that image.
template <class Where, class Done>
void find_sky(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
              Done&& done, Image<float, Where>* last_read) {
  MeshSky<Where> sky = estimate_sky(pixels.image, config, where, &found.bright);
  done("background");
  if (config.background.method == BackgroundMethod::constant) {
    found.background = std::move(sky.background);
    return;
  }
  found.mesh = std::move(sky.mesh);
  found.whole = std::move(sky.background);
  found.background = std::move(sky.above);
  found.above = subtract_mesh(pixels, found.mesh, where, last_read);
  done("subtract");
}

/// Whether the variances of these pixels are known only up to a factor.
template <class Where>
bool has_ratios(const Pixels<Where>& pixels, const Config& config) {
  return !pixels.variance.pixels.empty() && is_rescaled(config.weights);
}

/// The factor for the roots of the variances in a map of weights.
template <class Where>
Value<double, Where> scale_of_noise(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                                    const Where& where) {
  if (!found.mesh.level.empty())
    return noise_scale(pixels.image, pixels.variance, found.mesh, config.background, where);
  const auto estimate = [&](const Image<float, Where>& variance) {
    return noise_scale(found.background, estimate_background(variance, config.background, where), where);
  };
  return detects_beyond(config.weights) ? estimate(mask_like(pixels.image, pixels.variance, where))
                                        : estimate(pixels.variance);
}

/// Finds the sky and, from it, the scale of a map of weights, and subtracts it. Interpolates gaps if the configuration
/// asks for it.
template <class Where, class Done>
void subtract_own_sky(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                      Done&& done, Image<float, Where>* last_read) {
  find_sky(pixels, config, found, where, done, last_read);
  const bool has_scale = has_ratios(pixels, config);
  if (has_scale) found.noise_scale = scale_of_noise(pixels, config, found, where);
  if (interpolates(config.weights) && !pixels.variance.pixels.empty()) {
    found.filled = interpolate_bad(measured_image(pixels, found), pixels.variance, config.weights, where,
                                   has_scale ? &found.noise_scale : nullptr);
    done("interpolate");
  }
}

}  // namespace srcextract
