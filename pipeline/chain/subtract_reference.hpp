#pragma once

#include <optional>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/error.hpp"
#include "stages/core/pixel_map.hpp"
#include "stages/difference/difference.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/subtract_fitted.hpp"
#include "stages/difference/resample.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/row_sample.hpp"

namespace srcextract {

/// How two frames compared before one was subtracted from the other. Without match_flux there are no ratios.
template <class Where>
struct FrameMatch {
  FrameSkies<Where> skies;
  Value<Background, Where> ratios;
  std::optional<FitFacts> fit = std::nullopt;  ///< set if the kernel was fitted
};

/// Fits what turns one frame into the other, and writes the difference. An error names the key that asks for the fit.
template <class Where, class Engine>
FitFacts subtract_by_fit(const Pixels<Where>& reference, const Pixels<Where>& fresh, const Config& config,
                         Pixels<Where>& difference, Engine& engine) {
  const Resources& header = config.resources;
  const FrameLights lights{{header.reference_gain, header.reference_saturation},
                           {config.measurement.gain, header.saturation}};
  try {
    const KernelFit fit =
        fit_kernel(reference.image, fresh.image, config.difference, lights, engine.where(), header.has_star_profile);
    engine.done("fit_kernel", fit.facts);
    subtract_fitted(reference.image, fresh.image, fit, difference, engine.where());
    engine.done("difference", difference);
    return fit.facts;
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
  const auto estimate = [&](const Image<float, Where>& image) {
    return estimate_background(image, config.background, where);
  };
  if (how.kernel == MatchingKernel::fitted) {
    constexpr std::int64_t told_row = 7;  // the fit finds levels of its own: these are told, and not used
    const auto sky_of = [&](const Pixels<Where>& frame) {
      return estimate(every_nth_row(frame.image, told_row, where));
    };
    return {{sky_of(reference), sky_of(fresh)},
            Value<Background, Where>(where),
            subtract_by_fit(reference, fresh, config, difference, engine)};
  }
  const auto sky_of = [&](const Pixels<Where>& frame) { return estimate(frame.image); };
  FrameMatch<Where> match{{sky_of(reference), sky_of(fresh)}, Value<Background, Where>(where)};
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
  DifferenceFacts facts{fetch(match.skies.reference, where).clipped, fetch(match.skies.fresh, where).clipped, 0, 1,
                        match.fit};
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
