#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// in FWHM; two stars that are nearer to each other count as a single star
inline constexpr double crowd_separation = 0.3;

/// A star during the fit. The number of a star is its index in the list of stars; new stars are appended.
struct CrowdStar {
  double x, y;  ///< position in pixels, from 0
  double flux;
  std::int32_t turn;       ///< number of the turn that found the star, from 1; 0: the user gave its position
  std::int32_t flags = 0;  ///< flag::saturated if the core of the star is saturated, else 0
  double core = 0;         ///< radius of the saturated core in pixels; 0: not saturated
};

/// The measurements of a star, from which a row of the catalogue is made.
struct CrowdRow {
  double x, y, flux;
  double variance;                 ///< variance of the flux, with positions and neighbours as free parameters
  double xx, yy, xy;               ///< covariance of the position
  double chi2;                     ///< mean of (residual / noise)^2 over the pixels, weighted by the PSF
  double spread, spread_variance;  ///< SPREAD_MODEL and its variance, after neighbours are subtracted
  double share;                    ///< fraction of the light under the PSF of the star that belongs to the star
  double quality;                  ///< fraction of the PSF that is on pixels which the fit uses
  double sky;                      ///< fitted sky at the position, relative to the level that was subtracted before
  std::int32_t turn;
  std::int16_t flags;
  /// from artificial stars of the same flux: fraction found, and error of the flux; NaN: not known
  double completeness, confusion;

  /// The row of a position outside the image.
  static CrowdRow without_light(double x, double y) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {x, y, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0, 0, 0, flag::aperture_cut, nan, nan};
  }

  /// Whether the row is sharper than a star, as tracks of cosmic rays and hot pixels are. Errors must have their final
  /// values. They do not suffice: the PSF is known to some per cent, and in a dense crowd neighbours are not resolved,
  /// so that `spread` of a bright star can differ from 0 by many errors. Then it is small, or the residual is.
  bool is_sharp() const {
    constexpr double clear = 4, least_spread = 0.006, least_chi2 = 5;
    return spread < -least_spread && spread * spread > clear * clear * spread_variance && chi2 > least_chi2;
  }

  bool operator==(const CrowdRow&) const = default;
};

/// The description of CrowdRow::flags, whose bits are those of `flag`.
inline constexpr const char* crowd_flags =
    "1 most light at its place is of others, 4 its core is saturated, 8 touches the image edge, 16 its place is off "
    "the image, 256 touches masked pixels, 512 sharper than a star";

}  // namespace srcextract
