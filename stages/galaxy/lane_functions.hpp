#pragma once

#include "stages/core/host_device.hpp"
#include "stages/galaxy/eight_lanes.hpp"

namespace srcextract {

/// ln x of a normal number x > 0, with an error of at most 1e-7, absolute or relative. V is float or Eight.
template <class V>
SRCEXTRACT_HOST_DEVICE inline V lane_log(const V& x) {
  constexpr std::int32_t half_root = 0x3f3504f3;  // bits of 1 / √2
  const auto bits = bits_of(x);
  const auto above = bits - half_root;
  const auto exponent = above >> 23;
  const V m = number_of((above & 0x7fffff) + half_root);  // from 1 / √2 to √2
  const V s = (m - 1.0F) / (m + 1.0F), s2 = s * s;
  const V series = s2 * (0.33333333F + s2 * (0.2F + s2 * (0.14285715F + s2 * 0.11111111F)));
  return to_number(exponent) * 0.69314718F + 2.0F * (s + s * series);
}

/// e^x with a relative error of at most 1e-7 (1 + |x|) for x from -80 to 80; x outside is clipped, so that
/// products of the result are not too small for normal numbers, which are slow.
template <class V>
SRCEXTRACT_HOST_DEVICE inline V lane_exp(const V& x) {
  const V low = x > -80.0F ? x : 0.0F * x - 80.0F;
  const V clipped = low < 80.0F ? low : 0.0F * low + 80.0F;
  // Rounds to the nearest whole number: with this number added, the fraction is lost.
  constexpr float shift = 12582912.0F;
  const V whole = (clipped * 1.44269504F + shift) - shift;
  const V r = (clipped - whole * 0.693359375F) - whole * -2.12194440e-4F;
  V series = 1.0F / 5040 * r + 1.0F / 720;
  series = series * r + 1.0F / 120;
  series = series * r + 1.0F / 24;
  series = series * r + 1.0F / 6;
  series = series * r + 0.5F;
  series = series * r + 1.0F;
  series = series * r + 1.0F;
  return series * number_of((to_whole(whole) + 127) << 23);
}

}  // namespace srcextract
