#pragma once

#include <cstdint>

#include "stages/convolve/kernel.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Replaces each pixel by the median of the 3 x 3 pixels about it, so that what is smaller than a star, such as a hot
/// pixel or most of a cosmic ray, is not found. Only pixels count that are inside the image and not masked (NaN). Of an
/// even number of pixels the median is the mean of the two in the middle, with each operation rounded to float, as in
/// numpy.nanmedian. A masked pixel stays masked.
Image<float, Cpu> median_filter(const Image<float, Cpu>& image, const Cpu& where);
Image<float, Gpu> median_filter(const Image<float, Gpu>& image, const Gpu& where);

/// The sigma that the filter, and after it a kernel, make of independent pixels of sigma 1 with a normal distribution.
double white_noise_after_median(const Kernel& kernel);

/// A kernel that makes nearly as much of noise that pixels share as the filter and after it `kernel` do, beside what
/// both make of independent pixels: `kernel`, convolved with a Gaussian of 3 x 3 pixels.
Kernel noise_kernel_after_median(const Kernel& kernel);

/// Returns the median of nine values, none of which is NaN, by 19 exchanges (Paeth 1990, in Graphics Gems, 171; Smith
/// 1996).
SRCEXTRACT_HOST_DEVICE inline float median_of_nine(float a, float b, float c, float d, float e, float f, float g,
                                                   float h, float i) {
  // not by minimum and maximum, which may treat zeros of either sign differently on host and device
  const auto sort = [](float& low, float& high) {
    const bool exchange = high < low;
    const float first = exchange ? high : low;
    high = exchange ? low : high;
    low = first;
  };
  sort(b, c), sort(e, f), sort(h, i);
  sort(a, b), sort(d, e), sort(g, h);
  sort(b, c), sort(e, f), sort(h, i);
  sort(a, d), sort(f, i), sort(e, h);
  sort(d, g), sort(b, e), sort(c, f);
  sort(e, h), sort(e, c), sort(g, e);
  sort(e, c);
  return e;
}

/// Returns the result of median_filter() for any pixel of the image, whose pixels begin at `pixels`. Host and device
/// choose the same way for each pixel: of a zero of either sign, either way may find the other.
SRCEXTRACT_HOST_DEVICE inline float median_about(const float* pixels, const Shape& shape, std::int64_t x,
                                                 std::int64_t y) {
  const float own = pixels[y * shape.width + x];
  if (!(own == own)) return own;
  if (x > 0 && y > 0 && x < shape.width - 1 && y < shape.height - 1) {
    const float* const above = pixels + (y - 1) * shape.width + x;
    const float *const here = above + shape.width, *const below = here + shape.width;
    const bool masked = above[-1] != above[-1] || above[0] != above[0] || above[1] != above[1] ||
                        here[-1] != here[-1] || here[1] != here[1] || below[-1] != below[-1] || below[0] != below[0] ||
                        below[1] != below[1];
    if (!masked)
      return median_of_nine(above[-1], above[0], above[1], here[-1], here[0], here[1], below[-1], below[0], below[1]);
  }
  float sorted[9];
  int count = 0;
  for (std::int64_t row = y > 0 ? y - 1 : 0; row <= y + 1 && row < shape.height; ++row)
    for (std::int64_t column = x > 0 ? x - 1 : 0; column <= x + 1 && column < shape.width; ++column) {
      const float value = pixels[row * shape.width + column];
      if (!(value == value)) continue;
      int place = count++;
      for (; place > 0 && value < sorted[place - 1]; --place) sorted[place] = sorted[place - 1];
      sorted[place] = value;
    }
  const int middle = count / 2;
  return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) * 0.5F;
}

}  // namespace srcextract
