#pragma once

#include <cmath>
#include <limits>

#include "stages/convolve/kernel.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/settings/convolve.hpp"

namespace srcextract {

/// The index at which a convolution reads pixel `i` of a row or column of `length` pixels; -1: it reads sky. `i` may
/// lie beyond either end by at most `length`.
template <class Integer>
SRCEXTRACT_HOST_DEVICE inline Integer pixel_at_edge(Integer i, Integer length, Edges edges) {
  if (i >= 0 && i < length) return i;
  if (edges == Edges::zero) return -1;
  if (edges == Edges::nearest) return i < 0 ? 0 : length - 1;
  return i < 0 ? -1 - i : 2 * length - 1 - i;  // the edge pixel is reflected too: b a | a b
}

/// d = pixel - sky, or 0 for a masked pixel. share_of: 1, or 0 for a masked pixel.
SRCEXTRACT_HOST_DEVICE inline float above_sky(float pixel, float sky) {
  return pixel == pixel ? pixel - sky : 0.0F;
}
SRCEXTRACT_HOST_DEVICE inline float share_of(float pixel) {
  return pixel == pixel ? 1.0F : 0.0F;
}

/// The sum of the magnitudes of the kernel's weights, rounded as over a window without masked pixels.
inline float full_weight(const Kernel& kernel) {
  float row = 0;
  float sum = 0;
  if (kernel.separable()) {
    for (const float w : kernel.along_x) row = std::fmaf(w, 1.0F, row);
    for (const float w : kernel.along_y) sum = std::fmaf(w, row, sum);
    return sum;
  }
  const float* w = kernel.weights.data();
  for (int y = 0; y < kernel.height; ++y, row = 0) {
    for (int x = 0; x < kernel.width; ++x) row = std::fmaf(std::fabs(*w++), 1.0F, row);
    sum += row;
  }
  return sum;
}

/// The factor q by which finish_pixel makes up for masked pixels under the kernel. `here` is the weight of the unmasked
/// pixels, `full` that of all. q is 1 if here = full, even if both are 0 or beyond the range of a float. If the pixel
/// was masked or no weight is left, q makes finish_pixel mask the pixel. `keeps_noise` is Kernel::keeps_noise.
SRCEXTRACT_HOST_DEVICE inline float renormalise(float pixel, float full, float here, bool keeps_noise) {
  const float lack = here == full ? 1.0F : full / here;
  const float q = keeps_noise ? std::sqrt(lack) : lack;
  return pixel == pixel ? q : pixel;
}

/// The convolved pixel, from the sum over a window and the factor q; masked if it is NaN or beyond the range of float,
/// as in ingest.
SRCEXTRACT_HOST_DEVICE inline float finish_pixel(float sky, float sum, float q) {
  return pixel_of(sky + sum * q);
}

}  // namespace srcextract
