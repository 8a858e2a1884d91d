#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/given_sky.hpp"
#include "stages/sky/mask_bright.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/weights/interpolate.hpp"
#include "stages/weights/mask.hpp"
#include "stages/weights/noise_scale.hpp"

namespace srcextract {

/// Factor by which the noise estimated in a background mesh must be multiplied, since three effects make the estimate
/// too small. The kappa-sigma clip cuts off the tails of the noise. The level estimated in each mesh follows the noise,
/// more so if the noise of neighbouring pixels is correlated. The median filter over the meshes lowers the estimate
/// further.
inline double factor_of_noise(const Config& config, const BackgroundConfig& meshes) {
  constexpr double usual_area = 1.5;  // area of the noise's autocorrelation in beams: 2 for white noise convolved with
                                      // the beam, 1 for a dirty map
  double clipped = 1;
  for (int round = 0; round < 20; ++round) {
    const double at = meshes.kappa * clipped, density = 0.398942280401432677940 * portable_exp(-at * at / 2);
    clipped = std::sqrt(1 - 2 * at * density / (1 - 2 * portable_normal_tail(at)));
  }
  double common = 1;
  if (const auto& beam = config.resources.beam)
    common = beam->area() * (config.fit.noise_area > 0 ? config.fit.noise_area : usual_area);
  const double share = std::min(0.5, common / static_cast<double>(mesh_sides(meshes).count()));
  return (1 + share * 2 / 3) / clipped;
}

/// Estimates the background mesh a second time, without sources. Masks pixels that exceed the sky of `first` by 0.8
/// times the larger of detection.threshold and detection.seed, or by 5 sigma if these are not in sigma. Also masks all
/// pixels within a beam's width around them, or within 4 pixels without a beam.
///
/// The limit is at least 4 sigma. A lower limit would cut off the upper tail of the noise but not the lower, which
/// would bias level and noise. Since few sources are left, kappa of the clip is at least 3.5; with 3, sigma would be
/// 1.5 % too small.
///
/// Pixels are measured in units of the noise of `first`. Sources that `first` missed raise the noise of single meshes,
/// and the median filter removes these meshes.
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
  return estimate_mesh(mask_bright(image, first, rule, where), second, where,
                       {&first, factor_of_noise(config, second)});
}

/// Estimates level and noise of the sky from unmasked pixels. A level or noise that the user gave replaces the
/// estimate. If the sky is one level for the whole image, only `background` of the result is set, and `bright` receives
/// the bright pixels for find_foreground().
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

/// Returns the sky of an image after its constant level was subtracted: level 0 and the same noise.
template <class Where>
Value<Background, Where> sky_above(const Value<Background, Where>& sky, const Where& where) {
  Value<Background, Where> above = copy_of(sky, where);
  give_sky(GivenSky{.level = true}, above, where);
  return above;
}

/// Returns the image minus the mesh. On the host, the result reuses the memory of `last_read` if that is not null. On a
/// device the image is kept, since the device may run the steps again on the same pixels with larger buffers.
template <class Where>
Image<float, Where> subtract_mesh(const Pixels<Where>& pixels, const SkyMesh<Where>& mesh, const Where& where,
                                  [[maybe_unused]] Image<float, Where>* last_read = nullptr) {
  if constexpr (std::is_same_v<Where, Cpu>)
    if (last_read != nullptr) return subtract_sky(std::move(*last_read), mesh, where);
  return subtract_sky(pixels.kept.pixels.empty() ? pixels.image : pixels.kept, mesh, where);
}

/// Estimates the sky. With a mesh, also subtracts the mesh: all later steps use `found.above` instead of the image, and
/// `found.background` is the sky of `found.above`.
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

/// Whether a weight map gives the variances of the pixels only up to a common factor.
template <class Where>
bool has_ratios(const Pixels<Where>& pixels, const Config& config) {
  return !pixels.variance.pixels.empty() && is_rescaled(config.weights);
}

/// Estimates the factor that converts the square roots of a weight map's relative variances to noise.
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

/// Estimates the sky and subtracts it if it is a mesh. Estimates the scale of a weight map with relative variances.
/// Fills masked gaps by interpolation if the configuration asks for it.
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
