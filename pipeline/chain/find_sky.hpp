#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/step.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/given_sky.hpp"
#include "stages/sky/mask_bright.hpp"
#include "stages/sky/mask_light.hpp"
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
/// With background.surface `quadric` bins of pixels that are lit together are masked in their place (mask_light).
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
  const bool faint = second.surface == BackgroundSurface::quadric;
  return estimate_mesh(faint ? mask_light(image, first, where) : mask_bright(image, first, rule, where), second, where,
                       {&first, factor_of_noise(config, second)});
}

/// Estimates level and noise of the sky from unmasked pixels. A level or noise that the user gave replaces the
/// estimate. If the sky is one level for the whole image, only `background` of the result is set, and `bright` receives
/// the bright pixels for FindForeground.
template <class Where>
MeshSky<Where> estimate_sky(const Image<float, Where>& image, const Config& config, const Where& where,
                            BrightQuads<Where>* bright = nullptr) {
  const GivenSky given = given_sky(config.given_sky);
  if (config.background.method == BackgroundMethod::mesh) {
    MeshSky<Where> sky = estimate_mesh(image, config.background, where);
    if (has_second_pass(config.background)) sky = estimate_without_sources(image, sky.mesh, config, where);
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

/// Estimates the sky. With a mesh, `found.background` is the sky of the image minus the mesh.
struct EstimateSky : AlwaysUsed {
  static constexpr const char* name = "background";
  /// A mesh that is estimated twice needs the image without its sources. A device also has a map of the sources.
  static KeptImages keeps(const Plan& plan) {
    return plan.refines_mesh() ? KeptImages{.host = 1, .device = 2} : KeptImages{};
  }
  static RowsAtOnce rows(const Plan& plan) { return plan.refines_mesh() ? whole_image : RowsAtOnce(0); }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    auto sky = estimate_sky(state.pixels.image, state.config(), state.where, &found.bright);
    if (!state.plan.has_mesh()) {
      found.background = std::move(sky.background);
      return;
    }
    found.mesh = std::move(sky.mesh);
    found.whole = std::move(sky.background);
    found.background = std::move(sky.above);
  }
};

/// Subtracts the mesh: all later steps use `found.above` instead of the image.
struct SubtractSky : ByRows<1> {
  static constexpr const char* name = "subtract";
  static bool used(const Plan& plan) { return plan.has_mesh(); }
  /// The image minus the sky. On the host, it reuses the memory of the image, unless the image is read again.
  static KeptImages keeps(const Plan& plan) {
    return {.host = plan.extracts_twice() || has_map(plan.config.weights) ? 1 : 0, .device = 1};
  }

  template <class S>
  static void run(S& state) {
    state.found.above = subtract_mesh(state.pixels, state.found.mesh, state.where, state.last_read);
  }
};

/// Estimates the factor that converts the square roots of a weight map's relative variances to noise.
struct ScaleVariance : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "scale variance";
  static bool used(const Plan& plan) { return plan.scales_variance(); }

  template <class S>
  static void run(S& state) {
    const auto& pixels = state.pixels;
    const auto& where = state.where;
    const Config& config = state.config();
    auto& found = state.found;
    if (!found.mesh.level.empty()) {
      found.noise_scale = noise_scale(pixels.image, pixels.variance, found.mesh, config.background, where);
      return;
    }
    const auto estimate = [&](const auto& variance) {
      return noise_scale(found.background, estimate_background(variance, config.background, where), where);
    };
    found.noise_scale = detects_beyond(config.weights) ? estimate(mask_like(pixels.image, pixels.variance, where))
                                                       : estimate(pixels.variance);
  }
};

/// Fills masked gaps by interpolation.
struct FillGaps : ByRows<2> {
  static constexpr const char* name = "interpolate";
  static bool used(const Plan& plan) { return plan.interpolates(); }
  static KeptImages keeps(const Plan&) { return {.host = 2, .device = 2}; }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    found.filled = interpolate_bad(measured_image(state.pixels, found), state.pixels.variance, state.config().weights,
                                   state.where, state.plan.scales_variance() ? &found.noise_scale : nullptr);
  }
};

/// From the image to its sky, and to the image above its sky.
using BackgroundSteps = PartList<EstimateSky, SubtractSky, ScaleVariance, FillGaps>;

}  // namespace srcextract
