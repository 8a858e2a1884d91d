#pragma once

#include <cmath>
#include <limits>

#include "stages/convolve/kernel.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/settings/convolve.hpp"

namespace srcextract {

/// The index of the pixel that a convolution reads for index `i` of a row or column of `length` pixels; -1 stands for
/// the sky level. `i` may be beyond either end by at most `length`.
template <class Integer>
SRCEXTRACT_HOST_DEVICE inline Integer pixel_at_edge(Integer i, Integer length, Edges edges) {
  if (i >= 0 && i < length) return i;
  if (edges == Edges::zero) return -1;
  if (edges == Edges::nearest) return i < 0 ? 0 : length - 1;
  return i < 0 ? -1 - i : 2 * length - 1 - i;  // the pixel at the edge is repeated: b a | a b
}

/// above_sky() returns pixel - sky, or 0 for a masked pixel. share_of() returns 1, or 0 for a masked pixel.
SRCEXTRACT_HOST_DEVICE inline float above_sky(float pixel, float sky) {
  return pixel == pixel ? pixel - sky : 0.0F;
}
SRCEXTRACT_HOST_DEVICE inline float share_of(float pixel) {
  return pixel == pixel ? 1.0F : 0.0F;
}

/// The sum of the absolute values of the weights, rounded like the sum over unmasked pixels under the kernel.
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

/// The factor q for finish_pixel(), which compensates for masked pixels under the kernel. `here` is the weight of the
/// unmasked pixels, `full` the weight of all pixels, and `keeps_noise` is Kernel::keeps_noise. If here = full, q is 1,
/// even if both are 0 or infinite. If the pixel itself is masked, or if only `here` is 0, q is NaN or infinite and the
/// result becomes masked.
SRCEXTRACT_HOST_DEVICE inline float renormalise(float pixel, float full, float here, bool keeps_noise) {
  const float lack = here == full ? 1.0F : full / here;
  const float q = keeps_noise ? std::sqrt(lack) : lack;
  return pixel == pixel ? q : pixel;
}

/// The convolved pixel, from the sum over the kernel and the factor q. Masked if the result is NaN or exceeds the range
/// of a float.
SRCEXTRACT_HOST_DEVICE inline float finish_pixel(float sky, float sum, float q) {
  return pixel_of(sky + sum * q);
}

}  // namespace srcextract
