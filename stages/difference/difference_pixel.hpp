#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/difference/difference.hpp"

namespace srcextract {

/// How bright a pixel must be, in sigmas of both frames together, for its ratio to count.
inline constexpr double bright_pixel = 20;

/// n / r of a pixel; masked where it cannot be told.
struct FluxRatio {
  double reference_sky, reference_sigma;
  double fresh_sky, fresh_sigma;

  SRCEXTRACT_HOST_DEVICE FluxRatio(const Background& reference, const Background& fresh)
      : reference_sky(reference.clipped.median),
        reference_sigma(reference.clipped.sigma),
        fresh_sky(fresh.clipped.median),
        fresh_sigma(fresh.clipped.sigma) {}

  SRCEXTRACT_HOST_DEVICE float operator()(float reference, float fresh) const {
    const double r = static_cast<double>(reference) - reference_sky;
    const double n = static_cast<double>(fresh) - fresh_sky;
    // Without branches: a loop over pixels is made of vectors then.
    const bool bright = (r > 0) & (n > 0) & (r / reference_sigma + n / fresh_sigma > bright_pixel);
    return bright ? pixel_of(n / r) : masked_pixel;
  }
};

/// The switches of a subtraction.
struct Matching {
  bool flux, background;
  double gain;  ///< 0 = no noise
};

/// A pixel of the difference and of its noise.
struct Subtraction {
  double scale;                       ///< of the reference
  double reference_sky, fresh_sky;    ///< levels
  double reference_zero, fresh_zero;  ///< what is subtracted: the levels, or 0
  double variance_of_flux;            ///< relative to that of the sky

  SRCEXTRACT_HOST_DEVICE Subtraction(const Background& reference, const Background& fresh, const Background& ratios,
                                     const Matching& match)
      : scale(flux_scale(ratios, match.flux)),
        reference_sky(reference.clipped.median),
        fresh_sky(fresh.clipped.median),
        reference_zero(match.background ? reference_sky : 0),
        fresh_zero(match.background ? fresh_sky : 0),
        variance_of_flux(0) {
    const double reference_sigma = scale * reference.clipped.sigma;
    const double variance = fresh.clipped.sigma * fresh.clipped.sigma + reference_sigma * reference_sigma;
    if (match.gain > 0 && variance > 0) variance_of_flux = 1 / (match.gain * variance);
  }

  SRCEXTRACT_HOST_DEVICE float difference(float reference, float fresh) const {
    return pixel_of((static_cast<double>(fresh) - fresh_zero) -
                    scale * (static_cast<double>(reference) - reference_zero));
  }

  /// Its variance, relative to that of the sky.
  SRCEXTRACT_HOST_DEVICE float noise(float reference, float fresh) const {
    const double r = static_cast<double>(reference) - reference_sky;
    const double n = static_cast<double>(fresh) - fresh_sky;
    // A masked pixel is neither below 0 nor a number.
    const double flux = (n < 0 ? 0 : n) + scale * scale * (r < 0 ? 0 : r);
    return pixel_of(1 + flux * variance_of_flux);
  }
};

SRCEXTRACT_HOST_DEVICE inline float negated(float pixel) {
  return pixel == pixel ? -pixel : masked_pixel;
}

SRCEXTRACT_HOST_DEVICE inline float weighed(float pixel, float variance, float sky) {
  return pixel_of(sky + (pixel - sky) / static_cast<float>(sqrt(static_cast<double>(variance))));
}

}  // namespace srcextract
