#pragma once

#include <optional>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/error.hpp"
#include "stages/core/pixel_map.hpp"
#include "stages/difference/difference.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/subtract_fitted.hpp"
#include "stages/difference/resample.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/math/star_noise.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// How two frames compared before one was subtracted from the other. Without match_flux there are no ratios.
template <class Where>
struct FrameMatch {
  FrameSkies<Where> skies;
  Value<Background, Where> ratios;
  std::optional<FitFacts> fit = std::nullopt;         ///< set if the kernel was fitted
  double star_noise = 0;                              ///< noise_of_star of the fit
  std::optional<FramesAsRead> frames = std::nullopt;  ///< set if output.alerts needs them
};

/// A copy on the host.
inline Image<float, Cpu> host_copy(const Image<float, Cpu>& image, const Cpu& where) {
  return copy_of(image, where);
}
template <class Where>
Image<float, Cpu> host_copy(const Image<float, Where>& image, const Where& where) {
  return to_host(image, where);
}

/// Fits what turns one frame into the other, and writes the difference. An error names the key that asks for the fit.
template <class Where, class Engine>
void subtract_by_fit(const Pixels<Where>& reference, const Pixels<Where>& fresh, const Config& config,
                     Pixels<Where>& difference, Engine& engine, FrameMatch<Where>& match) {
  const Resources& header = config.resources;
  const FrameLights lights{{header.reference_gain, header.reference_saturation},
                           {config.measurement.gain, header.saturation}};
  try {
    const KernelFit fit = fit_kernel(reference.image, fresh.image, config.difference, lights, engine.where());
    engine.done("fit_kernel", fit.facts);
    subtract_fitted(reference.image, fresh.image, fit, difference, engine.where());
    engine.done("difference", difference);
    match.fit = fit.facts;
    match.star_noise = fit.star.empty() ? 0 : noise_of_star(fit.star.view());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    throw Error(error.kind(), config.place_of("difference.kernel") + ": " + error.what());
  }
}

/// Writes the difference, new frame minus reference, to `difference`. Both frames end up on the pixels of the new one
/// and, if their widths are known, equally wide.
template <class Where, class Engine>
FrameMatch<Where> subtract_reference(Pixels<Where>& reference, const PixelMap* map, Pixels<Where>& fresh,
                                     const Config& config, Pixels<Where>& difference, Engine& engine) {
  const Where& where = engine.where();
  const DifferenceConfig& how = config.difference;
  if (map != nullptr) {
    reference.image = resample(reference.image, *map, how.interpolation, where);
    engine.done("align", reference.image);
  }
  const auto sky_of = [&](const Pixels<Where>& frame) {
    return estimate_background(frame.image, config.background, where);
  };
  FrameMatch<Where> match{{sky_of(reference), sky_of(fresh)}, Value<Background, Where>(where)};
  if (!config.output.alerts.empty())
    match.frames = FramesAsRead{host_copy(reference.image, where), host_copy(fresh.image, where)};
  if (how.kernel == MatchingKernel::fitted) {
    subtract_by_fit(reference, fresh, config, difference, engine, match);
    return match;
  }
  FrameSkies<Where>& skies = match.skies;
  const auto widen = [&](Pixels<Where>& frame, Value<Background, Where>& sky, double from, double to) {
    frame.image = convolve(frame.image, make_matching_kernel(from, to), Edges::nearest, sky, where);
    sky = sky_of(frame);
    engine.done("match_width", frame.image);
  };
  if (how.reference_fwhm < how.new_fwhm) widen(reference, skies.reference, how.reference_fwhm, how.new_fwhm);
  if (how.new_fwhm < how.reference_fwhm) widen(fresh, skies.fresh, how.new_fwhm, how.reference_fwhm);

  if (how.match_flux) {
    match.ratios =
        estimate_background(flux_ratios(reference.image, fresh.image, skies, where), config.background, where);
  }
  subtract_frames(reference.image, fresh.image, skies, match.ratios, how, config.measurement.gain, difference, where);
  engine.done("difference", difference);
  return match;
}

/// The comparison of the frames on the host, for the report.
template <class Where>
DifferenceFacts describe(const FrameMatch<Where>& match, const DifferenceConfig& how, const Where& where) {
  DifferenceFacts facts{fetch(match.skies.reference, where).clipped,
                        fetch(match.skies.fresh, where).clipped,
                        0,
                        1,
                        match.fit,
                        match.star_noise};
  if (match.fit) {
    facts.scale = match.fit->convolved_new ? 1 / match.fit->mean_sum : match.fit->mean_sum;
    return facts;
  }
  if (!how.match_flux) return facts;
  const Background ratios = fetch(match.ratios, where);
  facts.ratios = ratios.clipped.count;
  facts.scale = flux_scale(ratios, how.match_flux);
  return facts;
}

}  // namespace srcextract
