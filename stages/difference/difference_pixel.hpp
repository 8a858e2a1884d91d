#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/difference/difference.hpp"

namespace srcextract {

/// A ratio n / r is used only if r / sigma_r + n / sigma_n exceeds this value. r is the pixel of the reference and n
/// that of the new frame, both minus their skies.
inline constexpr double bright_pixel = 20;

/// Computes the ratio new / reference of a pixel, both minus their skies. The result is masked if the pixel is too
/// faint (bright_pixel).
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
    // Without branches, so that compilers turn loops over pixels into vectors.
    const bool bright = (r > 0) & (n > 0) & (r / reference_sigma + n / fresh_sigma > bright_pixel);
    return bright ? pixel_of(n / r) : masked_pixel;
  }
};

struct Matching {
  bool flux, background;
  PhotonGains gain;
};

/// Computes a pixel of the difference, and the variance of its noise.
struct Subtraction {
  double scale;                       ///< factor of the reference
  double reference_sky, fresh_sky;    ///< levels of the skies
  double reference_zero, fresh_zero;  ///< values that are subtracted: the levels of the skies, or 0
  double variance_of_flux;  ///< photon variance per count of the new frame, divided by the variance of the sky
  double per_reference;     ///< photon variance per count of the reference, divided by that of the new frame

  SRCEXTRACT_HOST_DEVICE Subtraction(const Background& reference, const Background& fresh, const Background& ratios,
                                     const Matching& match)
      : scale(flux_scale(ratios, match.flux)),
        reference_sky(reference.clipped.median),
        fresh_sky(fresh.clipped.median),
        reference_zero(match.background ? reference_sky : 0),
        fresh_zero(match.background ? fresh_sky : 0),
        variance_of_flux(0),
        per_reference(scale * scale * (match.gain.reference > 0 ? match.gain.fresh / match.gain.reference : 1)) {
    const double reference_sigma = scale * reference.clipped.sigma;
    const double variance = fresh.clipped.sigma * fresh.clipped.sigma + reference_sigma * reference_sigma;
    if (match.gain.fresh > 0 && variance > 0) variance_of_flux = 1 / (match.gain.fresh * variance);
  }

  SRCEXTRACT_HOST_DEVICE float difference(float reference, float fresh) const {
    return pixel_of((static_cast<double>(fresh) - fresh_zero) -
                    scale * (static_cast<double>(reference) - reference_zero));
  }

  /// Returns the variance of a pixel of the difference, divided by the variance of the sky.
  SRCEXTRACT_HOST_DEVICE float noise(float reference, float fresh) const {
    const double r = static_cast<double>(reference) - reference_sky;
    const double n = static_cast<double>(fresh) - fresh_sky;
    // The comparisons are false for masked pixels, which are NaN, so that masked pixels stay masked.
    const double flux = (n < 0 ? 0 : n) + per_reference * (r < 0 ? 0 : r);
    return pixel_of(1 + flux * variance_of_flux);
  }
};

SRCEXTRACT_HOST_DEVICE inline float negated(float pixel) {
  return pixel == pixel ? -pixel : masked_pixel;
}

SRCEXTRACT_HOST_DEVICE inline float multiplied(float pixel, double factor) {
  return pixel_of(static_cast<double>(pixel) * factor);
}

SRCEXTRACT_HOST_DEVICE inline float weighed(float pixel, float variance, float sky) {
  return pixel_of(sky + (pixel - sky) / static_cast<float>(sqrt(static_cast<double>(variance))));
}

}  // namespace srcextract
