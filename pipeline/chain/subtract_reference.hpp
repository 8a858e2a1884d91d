#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/find_sky.hpp"
#include "pipeline/chain/parts.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/error.hpp"
#include "stages/core/pixel_map.hpp"
#include "stages/difference/difference.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/resampled_noise.hpp"
#include "stages/difference/fit/subtract_fitted.hpp"
#include "stages/difference/resample.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/math/star_profile.hpp"
#include "stages/photometry/families.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Returns the error of a faint star's flux in the middle of the image, in units of the noise (sigma) of a sky pixel.
/// The flux is sum(filter * pixels) / sum(filter * shape), as StarFamily measures fluxes. The arrays of `star` must be
/// on the host. Returns NaN if the sum of filter * shape is not positive.
inline double noise_of_star(const StarView& star) {
  const FieldTerms middle = star.at((star.width - 1) / 2, (star.height - 1) / 2);
  double squares = 0, shape = 0;
  for (int y = -star.filter.half; y <= star.filter.half; ++y) {
    for (int x = -star.filter.half; x <= star.filter.half; ++x) {
      const double f = star.filter.node(x, y, middle);
      squares += f * f;
      shape += f * star.light.node(x, y, middle);
    }
  }
  return shape > 0 ? std::sqrt(star.correlation * squares) / shape : std::numeric_limits<double>::quiet_NaN();
}

/// How brightness and sky of the two frames of a difference compared before the subtraction.
template <class Where>
struct FrameMatch {
  std::optional<FrameSkies<Where>> skies =
      std::nullopt;  ///< null if the kernel was fitted, since the fit measures the sky levels itself
  std::optional<Value<Background, Where>> ratios =
      std::nullopt;                            ///< set if difference.match_flux is true and no kernel was fitted
  std::optional<FitFacts> fit = std::nullopt;  ///< set if the kernel was fitted
  double star_noise = 0;                       ///< noise_of_star() of the fitted kernel; 0 if no kernel was fitted
  std::optional<FramesAsRead> frames = std::nullopt;  ///< set if an output has cut-outs of them
};

/// Scales the noise map of a difference whose frames have weight maps. The sum of these maps has the right shape but
/// not the right level. After the scaling, dividing the difference by its noise leaves the sigma of the sky unchanged;
/// the factor follows from the sigma before and after the division. Moves the map from `difference.variance` to
/// `difference.noise`.
template <class Where>
void scale_mapped_noise(const Config& config, Pixels<Where>& difference, FitFacts& facts, const Where& where) {
  const auto sky_of = [&](const Image<float, Where>& image) {
    MeshSky<Where> sky = estimate_sky(image, config, where);
    return config.background.method == BackgroundMethod::mesh ? std::move(sky.above) : std::move(sky.background);
  };
  const Value<Background, Where> own = sky_of(difference.image);
  const Value<Background, Where> weighed = sky_of(weigh_pixels(difference.image, difference.noise, own, where));
  const double ratio = fetch(weighed, where).clipped.sigma / fetch(own, where).clipped.sigma;
  const double factor = std::isfinite(ratio) && ratio > 0 ? ratio * ratio : 1;
  multiply(difference.variance, factor, where);
  difference.noise = std::exchange(difference.variance, {});
  difference.star.scale_photons(factor);
  for (Image<float, Where>* noise : {&difference.star.frames.noise_of_new, &difference.star.frames.noise_of_reference})
    if (!noise->pixels.empty()) multiply(*noise, factor, where);
  facts.sky_variance /= factor;
}

/// A copy in host memory.
inline Image<float, Cpu> host_copy(const Image<float, Cpu>& image, const Cpu& where) {
  return copy_of(image, where);
}
template <class Where>
Image<float, Cpu> host_copy(const Image<float, Where>& image, const Where& where) {
  return to_host(image, where);
}

/// Fits the kernel that makes the stars of one frame as wide as those of the other, and writes the difference image to
/// `difference`. `greatest` and `shared`: FrameLight's, of the reference. The message of an Error{input} names the
/// configuration key difference.kernel.
template <class Where, class Engine>
void subtract_by_fit(const Pixels<Where>& reference, const Pixels<Where>& fresh, std::optional<float> greatest,
                     const Square* shared, const Config& config, Pixels<Where>& difference, Engine& engine,
                     FrameMatch<Where>& match) {
  const auto light_of = [](const FrameSettings& frame) {
    return FrameLight{frame.gain, frame.saturation, is_rescaled(frame.weights)};
  };
  FrameLights lights{light_of(reference_settings(config)), light_of(fresh_settings(config))};
  lights.reference.greatest = greatest;
  lights.reference.shared = shared;
  lights.fresh.psf = config.resources.numbers_of(psf_key);
  const FrameMaps<Where> maps{map_of(reference.variance), map_of(fresh.variance)};
  const Where& where = engine.where();
  try {
    // With weight maps, the noise of a sum over a star depends on the shape of the stars.
    const bool finds_stars = config.resources.has_star_profile || maps.any();
    KernelFit fit = fit_kernel(reference.image, fresh.image, config.difference, lights, where, maps, finds_stars);
    engine.done(FitKernel::name, fit.facts);
    const bool of_frames = is_measured<StarFramesFamily>(ColumnChoice(config.output.columns), config);
    subtract_fitted(reference.image, fresh.image, fit, difference, where, maps, of_frames);
    if (maps.any()) scale_mapped_noise(config, difference, fit.facts, where);
    if (of_frames) {  // the fit removes only the difference of the two sky levels, so the reference still has its sky
      Image<float, Where>& subtracted = difference.star.frames.reference;
      subtracted = subtract_sky(subtracted, estimate_mesh(subtracted, config.background, where).mesh, where);
    }
    engine.done(SubtractReference::name, difference);
    match.fit = fit.facts;
    match.star_noise = fit.star.empty() ? 0 : noise_of_star(fit.star.view());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    throw Error(error.kind(), config.place_of("difference.kernel") + ": " + error.what());
  }
}

/// Writes the difference image, new frame minus reference, to `difference`. Resamples the reference to the pixels of
/// the new frame. Then fits the kernel or, if the configuration gives the widths of stars, convolves the sharper frame
/// to the width of the other. Overwrites both frames.
template <class Where, class Engine>
FrameMatch<Where> subtract_reference(Pixels<Where>& reference, const PixelMap* map, Pixels<Where>& fresh,
                                     const Config& config, Pixels<Where>& difference, Engine& engine) {
  const Where& where = engine.where();
  const DifferenceConfig& how = config.difference;
  std::optional<float> greatest;  // of the reference before it is resampled, for FrameLight::greatest
  if (map != nullptr) {
    if (how.kernel == MatchingKernel::fitted && !(reference_settings(config).saturation > 0))
      greatest = shared_greatest(reference.image, where);
    reference.image = resample(reference.image, *map, how.interpolation, where);
    if (!reference.variance.pixels
             .empty())  // bilinear, since its kernel has no negative weights, which could make a variance negative
      reference.variance = resample(reference.variance, *map, Interpolation::bilinear, where);
    engine.done("align", reference.image);
  }
  const BackgroundConfig of_reference = reference_settings(config).background;
  const auto sky_of = [&](const Image<float, Where>& image, const BackgroundConfig& background) {
    return estimate_background(image, background, where);
  };
  FrameMatch<Where> match;
  if (config.output.cuts_frames())
    match.frames = FramesAsRead{host_copy(reference.image, where), host_copy(fresh.image, where)};
  if (how.kernel == MatchingKernel::fitted) {
    const std::optional<Square> shared =
        map == nullptr ? std::nullopt : std::optional(resampled_noise(*map, how.interpolation));
    subtract_by_fit(reference, fresh, greatest, shared ? &*shared : nullptr, config, difference, engine, match);
    return match;
  }
  FrameSkies<Where> skies{sky_of(reference.image, of_reference), sky_of(fresh.image, config.background)};
  const auto widen = [&](Pixels<Where>& frame, const BackgroundConfig& background, Value<Background, Where>& sky,
                         double from, double to) {
    frame.image = convolve(frame.image, make_matching_kernel(from, to), Edges::nearest, sky, where);
    sky = sky_of(frame.image, background);
    engine.done("match_width", frame.image);
  };
  if (how.reference_fwhm < how.new_fwhm) {
    widen(reference, of_reference, skies.reference, how.reference_fwhm, how.new_fwhm);
  } else if (how.new_fwhm < how.reference_fwhm) {
    widen(fresh, config.background, skies.fresh, how.new_fwhm, how.reference_fwhm);
  }

  Value<Background, Where> ratios(where);
  if (how.match_flux)
    ratios = estimate_background(flux_ratios(reference.image, fresh.image, skies, where), config.background, where);
  subtract_frames(reference.image, fresh.image, skies, ratios, how,
                  {config.measurement.gain, reference_settings(config).gain}, difference, where);
  engine.done(SubtractReference::name, difference);
  match.skies = std::move(skies);
  if (how.match_flux) match.ratios = std::move(ratios);
  return match;
}

/// Copies the comparison of the frames to host memory, for the run record.
template <class Where>
DifferenceFacts describe(const FrameMatch<Where>& match, const Where& where) {
  DifferenceFacts facts;
  facts.fit = match.fit;
  facts.star_noise = match.star_noise;
  if (match.fit) facts.scale = match.fit->convolved_new ? 1 / match.fit->mean_sum : match.fit->mean_sum;
  if (match.skies) {
    facts.reference = fetch(match.skies->reference, where).clipped;
    facts.fresh = fetch(match.skies->fresh, where).clipped;
  }
  if (match.ratios) {
    const Background ratios = fetch(*match.ratios, where);
    facts.ratios = ratios.clipped.count;
    facts.scale = flux_scale(ratios, true);
  }
  return facts;
}

}  // namespace srcextract
