#pragma once

#include <cmath>

#include "stages/convolve/convolve_pixel.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// The weight w of a pixel with this noise, in units of sigma; 0 if there is no noise, or if w is beyond the range of
/// float.
SRCEXTRACT_HOST_DEVICE inline float weight_in_match(double noise) {
  if (!(noise > 0)) return 0;
  const auto weight = static_cast<float>(1 / (noise * noise));
  return is_finite(weight) ? weight : 0;
}

/// The sigma that is the unit of noise; 1 if the image has only a noise map.
SRCEXTRACT_HOST_DEVICE inline double sigma_of_match(const Levels& levels) {
  return levels.sigma > 0 ? levels.sigma : 1;
}

/// The weight w of a pixel, from the levels and its rms.
SRCEXTRACT_HOST_DEVICE inline float weight_in_match(const Levels& levels, float rms) {
  return weight_in_match(scaled_noise(levels, rms) / sigma_of_match(levels));
}

/// The terms that a pixel adds to the two sums, without the kernel.
struct MatchTerms {
  float value, weight;
};
SRCEXTRACT_HOST_DEVICE inline MatchTerms match_terms(float pixel, float sky, float weight) {
  return {above_sky(pixel, sky) * weight, share_of(pixel) * weight};
}

/// S of a pixel, from its two sums.
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
