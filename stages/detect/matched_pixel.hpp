#pragma once

#include <cmath>

#include "stages/convolve/convolve_pixel.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// The weight w of a pixel with this noise, in units of sigma. It is 0 if the noise is not above 0, or if w overflows a
/// float.
SRCEXTRACT_HOST_DEVICE inline float weight_in_match(double noise) {
  const bool is_known = noise > 0;  // without a branch, so that compilers vectorise loops over pixels
  const double some = is_known ? noise : 1;
  const auto weight = static_cast<float>(1 / (some * some));
  return is_known & is_finite(weight) ? weight : 0;
}

/// The sigma in whose units noise is given to weight_in_match; 1 if the noise is known only from a map.
SRCEXTRACT_HOST_DEVICE inline double sigma_of_match(const Levels& levels) {
  return levels.sigma > 0 ? levels.sigma : 1;
}

/// The weight w of a pixel with the noise `rms`, before scaling by levels.noise_scale.
SRCEXTRACT_HOST_DEVICE inline float weight_in_match(const Levels& levels, float rms) {
  return weight_in_match(scaled_noise(levels, rms) / sigma_of_match(levels));
}

/// What a pixel adds to the two sums of the filter, without the kernel.
struct MatchTerms {
  float value, weight;
};
SRCEXTRACT_HOST_DEVICE inline MatchTerms match_terms(float pixel, float sky, float weight) {
  return {above_sky(pixel, sky) * weight, share_of(pixel) * weight};
}

/// S of a pixel, from the two sums of the filter; masked if the pixel is masked or `weights` is 0.
SRCEXTRACT_HOST_DEVICE inline float match_of(float pixel, float values, float weights) {
  return pixel == pixel && weights > 0 ? pixel_of(values / std::sqrt(weights)) : masked_pixel;
}

/// The levels for finding sources in S.
SRCEXTRACT_HOST_DEVICE inline Levels match_levels(Levels levels) {
  levels.zero_point = 0;
  levels.detection = levels.in_noise * sigma_of_match(levels);
  return levels;
}

}  // namespace srcextract
