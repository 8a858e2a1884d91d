#pragma once

#include <cmath>

#include "stages/convolve/convolve_pixel.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// Returns the weight w = 1 / noise^2 of a pixel in the matched filter (matched_filter.hpp). `noise` is in units of
/// sigma_of_match(). The weight is 0 if the noise is not above 0, or if w overflows a float.
SRCEXTRACT_HOST_DEVICE inline float weight_in_match(double noise) {
  const bool is_known = noise > 0;  // no branches below, so that compilers vectorise loops over pixels
  const double some = is_known ? noise : 1;
  const auto weight = static_cast<float>(1 / (some * some));
  return is_known & is_finite(weight) ? weight : 0;
}

/// Returns the unit of noise for weight_in_match(): levels.sigma, or 1 if levels.sigma is 0 because only a map gives
/// the noise.
SRCEXTRACT_HOST_DEVICE inline double sigma_of_match(const Levels& levels) {
  return levels.sigma > 0 ? levels.sigma : 1;
}

/// Returns the weight w of a pixel. `rms` is the pixel's noise before multiplication by levels.noise_scale.
SRCEXTRACT_HOST_DEVICE inline float weight_in_match(const Levels& levels, float rms) {
  return weight_in_match(scaled_noise(levels, rms) / sigma_of_match(levels));
}

/// The terms of one pixel in the two sums of the matched filter, w d and w, before multiplication by the kernel.
struct MatchTerms {
  float value, weight;
};
SRCEXTRACT_HOST_DEVICE inline MatchTerms match_terms(float pixel, float sky, float weight) {
  return {above_sky(pixel, sky) * weight, share_of(pixel) * weight};
}

/// Returns S of a pixel from the two sums of the filter. The result is masked if the pixel is masked or `weights` is 0.
SRCEXTRACT_HOST_DEVICE inline float match_of(float pixel, float values, float weights) {
  return pixel == pixel && weights > 0 ? pixel_of(values / std::sqrt(weights)) : masked_pixel;
}

/// Returns the levels for finding sources in S, the result of the matched filter.
SRCEXTRACT_HOST_DEVICE inline Levels match_levels(Levels levels) {
  levels.zero_point = 0;
  levels.detection = levels.in_noise * sigma_of_match(levels);
  return levels;
}

}  // namespace srcextract
