#pragma once

#include <cmath>
#include <cstddef>

namespace srcextract {

/// Number of pixels whose sums are computed at the same time: the number of floats in an AVX-512 register.
inline constexpr int pixels_together = 16;

/// Rows of pixels. The first pixels of successive rows are `stride` elements apart.
struct PixelRows {
  const float* first;
  std::ptrdiff_t stride;
};

/// Continues the sums of 16 pixels in each of `rows` rows: adds to each sum the products of `count` weights and pixels,
/// as a chain of fmaf in the order of the weights. Weight k multiplies the pixel that is k * step elements later. All
/// rows use the same weights, which stay in registers. Rows of sums are `width` elements apart.
template <int rows, int count>
inline __attribute__((always_inline)) void add_few_taps(PixelRows pixels, std::ptrdiff_t step, const float* weight,
                                                        std::ptrdiff_t width, float* __restrict sums) {
  for (int x = 0; x < pixels_together; ++x) {
    float sum[rows];
    for (int row = 0; row < rows; ++row) sum[row] = sums[row * width + x];
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k)
#pragma GCC unroll 8
      for (int row = 0; row < rows; ++row)
        sum[row] = std::fmaf(weight[k], pixels.first[row * pixels.stride + k * step + x], sum[row]);
    for (int row = 0; row < rows; ++row) sums[row * width + x] = sum[row];
  }
}

/// As add_few_taps(), for any number of weights.
template <int rows>
inline __attribute__((always_inline)) void add_taps(PixelRows pixels, std::ptrdiff_t step, const float* weight,
                                                    int taps, std::ptrdiff_t width, float* __restrict sums) {
  constexpr int together = 3;
  int k = 0;
  for (; k + together <= taps; k += together)
    add_few_taps<rows, together>({pixels.first + k * step, pixels.stride}, step, weight + k, width, sums);
  for (; k < taps; ++k) add_few_taps<rows, 1>({pixels.first + k * step, pixels.stride}, step, weight + k, width, sums);
}

}  // namespace srcextract
