#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

inline constexpr double crowd_separation = 0.3;  ///< in FWHM; stars nearer to each other than this are one

/// A star of a crowd while it is fitted. Its number is its place in the list, in the order in which stars are found.
struct CrowdStar {
  double x, y;  ///< position, from 0
  double flux;
  std::int32_t turn;       ///< turn in which it was found, from 1; 0: its place was given
  std::int32_t flags = 0;  ///< flag::saturated, if its core is
  double core = 0;         ///< radius of its saturated pixels
};

/// The measurements of a star: a row of the catalogue.
struct CrowdRow {
  double x, y, flux;
  double variance;                 ///< variance of the flux, marginal over places and neighbours
  double xx, yy, xy;               ///< covariance of the position
  double chi2;                     ///< mean square of the residual over its noise, weighed by the PSF
  double spread, spread_variance;  ///< SPREAD_MODEL with the neighbours subtracted
  double share;                    ///< part of the light under its PSF that is its own
  double quality;                  ///< part of the PSF that is on good pixels
  double sky;                      ///< fitted sky at its place, above the level that was subtracted before
  std::int32_t turn;
  std::int16_t flags;
  double completeness, confusion;  ///< from added stars of its brightness: part found, and error; NaN: not known

  /// The row of a place off the image.
  static CrowdRow without_light(double x, double y) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {x, y, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0, 0, 0, flag::aperture_cut, nan, nan};
  }

  bool operator==(const CrowdRow&) const = default;
};

/// The description of CrowdRow::flags, whose bits are those of `flag`.
inline constexpr const char* crowd_flags =
    "1 most light at its place is of others, 4 its core is saturated, 8 touches the image edge, 16 its place is off "
    "the image, 256 touches masked pixels";

}  // namespace srcextract
