#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// A Sérsic profile of one index, with flux 1 and half-light radius 1, by the tables of sersic_constants.hpp.
struct SersicProfile {
  double n = 0;                         ///< the index, after clipping to the range of the tables
  double b = 0, b_slope = 0;            ///< b(n) of Ciotti & Bertin (1999), and its derivative by ln n
  double log_peak = 0, peak_slope = 0;  ///< ln of the value at the centre, and its derivative by ln n
};

/// And its transform, and the light beyond a radius.
struct SersicOfIndex : SersicProfile {
  static constexpr int per_octave = 8;  ///< intervals of the squared wave number κ² in an octave: 3 bits of mantissa
  static constexpr int lowest = -26;    ///< binary exponent of the smallest κ² in the table
  static constexpr int octaves = 50;    ///< the largest is 2^24
  static constexpr int intervals = octaves * per_octave;
  static constexpr int entries =
      intervals + 2;  ///< and one for all smaller κ², where H = 1, and one for all larger, H = 0
  static constexpr int coefficients = 8;
  /// Cubic polynomials of f, which goes from 0 to 1 over the interval: 4 coefficients of the Hankel transform H, 4 of
  /// its derivative by ln n. Entry 1 + i belongs to κ² = 2^k (1 + (j + f) / 8) with i = 8 (k - lowest) + j.
  alignas(32) float transform[entries][coefficients];

  /// Coefficients of the B-splines of the part of the light beyond a radius, and of its derivative by ln n.
  double beyond[64], beyond_slope[64];
};

/// Fills `of` for the index e^ln_n. Indices outside 0.25 to 9.78 are clipped. With `slopes` false, the derivatives by
/// ln n are left 0. Costs about a microsecond.
void take_index(double ln_n, bool slopes, SersicOfIndex& of);

SersicProfile sersic_profile(double ln_n);

/// Part of the light beyond a radius whose square is r2, in squared half-light radii, and its derivatives by ln r and
/// ln n.
struct LightBeyond {
  double part = 0, by_radius = 0, by_index = 0;
};
LightBeyond light_beyond(const SersicOfIndex& of, double r2);

}  // namespace srcextract
