#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/galaxy/eight_lanes.hpp"
#include "stages/galaxy/sersic_table.hpp"

namespace srcextract {

/// Quadratic form xx kx² + twice_xy kx ky + yy ky².
struct ModeForm {
  float xx = 0, twice_xy = 0, yy = 0;

  template <class Line, class Across>
  SRCEXTRACT_HOST_DEVICE auto at(const Line& kx, const Across& ky) const {
    return xx * (kx * kx) + ky * (twice_xy * kx + yy * ky);
  }
};

/// κ² of a shape, and its derivatives by e1 and e2.
struct ModeShape {
  ModeForm square, by_e1, by_e2;
};

/// Where κ² is in SersicOfIndex::transform: the entry, the place f in its interval, and the derivative of f by κ².
template <class V, class W>
struct TablePlace {
  W entry;
  V f, slope;
};

/// The exponent and 3 bits of the mantissa of κ² number the interval; the other bits of the mantissa are f.
template <class V>
SRCEXTRACT_HOST_DEVICE inline auto place_in_table(const V& square) {
  using Whole = decltype(bits_of(square));
  constexpr std::int32_t first = (127 + SersicOfIndex::lowest) * SersicOfIndex::per_octave - 1;
  constexpr std::int32_t one = 127 << 23;
  const Whole bits = bits_of(square);
  TablePlace<V, Whole> place;
  Whole entry = (bits >> 20) - first;
  entry = entry > 0 ? entry : 0 * entry;
  constexpr std::int32_t last = SersicOfIndex::entries - 1;
  place.entry = entry < last ? entry : 0 * entry + last;
  place.f = number_of(((bits & 0xfffff) << 3) | one) - 1.0F;
  // 2^-k · 8 with k the exponent of κ². Below the table the polynomials are constant.
  place.slope = number_of((254 + 3 - ((bits >> 23) & 0xff)) << 23);
  return place;
}

/// Value of a mode without the transform of the profile: the PSF's transform times the turn to the galaxy's centre.
template <class V>
struct ModeFactor {
  V re, im;
};

/// Adds the spectra of an image and of its derivatives at one mode to `sums`. A spectrum is a real part and an
/// imaginary part. They are in this order: the image, its derivatives by x, y, ln rc, e1, e2, and ln n. `images` is 1,
/// 6 (index fixed) or 7. c: the entry of the table.
template <int images, class V, class Kx, class Ky>
SRCEXTRACT_HOST_DEVICE inline void add_sersic_mode(const ModeShape& shape, const Kx& kx, const Ky& ky,
                                                   const ModeFactor<V>& factor, const V& square, const V& f,
                                                   const V& slope, const V* c, V* sums) {
  const V h = c[0] + f * (c[1] + f * (c[2] + f * c[3]));
  const V re = factor.re * h, im = factor.im * h;
  sums[0] += re;
  sums[1] += im;
  if constexpr (images > 1) {
    sums[2] += im * kx;
    sums[3] -= re * kx;
    sums[4] += im * ky;
    sums[5] -= re * ky;
    const V by_square = slope * (c[1] + f * (2.0F * c[2] + 3.0F * f * c[3]));
    const V by_size = by_square * (2.0F * square);
    const V by_e1 = by_square * shape.by_e1.at(kx, ky), by_e2 = by_square * shape.by_e2.at(kx, ky);
    sums[6] += factor.re * by_size;
    sums[7] += factor.im * by_size;
    sums[8] += factor.re * by_e1;
    sums[9] += factor.im * by_e1;
    sums[10] += factor.re * by_e2;
    sums[11] += factor.im * by_e2;
  }
  if constexpr (images > 6) {
    const V by_index = c[4] + f * (c[5] + f * (c[6] + f * c[7]));
    sums[12] += factor.re * by_index;
    sums[13] += factor.im * by_index;
  }
}

/// The same of a point: `images` is 1 or 3.
template <int images, class V, class Kx, class Ky>
SRCEXTRACT_HOST_DEVICE inline void add_point_mode(const Kx& kx, const Ky& ky, const ModeFactor<V>& factor, V* sums) {
  sums[0] += factor.re;
  sums[1] += factor.im;
  if constexpr (images > 1) {
    sums[2] += factor.im * kx;
    sums[3] -= factor.re * kx;
    sums[4] += factor.im * ky;
    sums[5] -= factor.re * ky;
  }
}

}  // namespace srcextract
