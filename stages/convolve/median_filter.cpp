#include "stages/convolve/median_filter.hpp"

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

/// Computes the medians of all pixels of a row but the first and the last, from the rows above, here and below. Returns
/// whether one of these pixels, or one beside them, is masked or infinite; their medians are then not valid.
SRCEXTRACT_VECTOR_CLONES
bool filter_inner(const float* above, const float* here, const float* below, std::int64_t width,
                  float* __restrict out) {
  int invalid = 0;
  for (std::int64_t x = 1; x < width - 1; ++x) {
    out[x] = median_of_nine(above[x - 1], above[x], above[x + 1], here[x - 1], here[x], here[x + 1], below[x - 1],
                            below[x], below[x + 1]);
    const float any = (above[x - 1] - above[x - 1]) + (above[x] - above[x]) + (above[x + 1] - above[x + 1]) +
                      (here[x - 1] - here[x - 1]) + (here[x] - here[x]) + (here[x + 1] - here[x + 1]) +
                      (below[x - 1] - below[x - 1]) + (below[x] - below[x]) + (below[x + 1] - below[x + 1]);
    invalid |= any == 0 ? 0 : 1;
  }
  return invalid != 0;
}

void filter_row(const Image<float, Cpu>& image, std::int64_t y, float* result) {
  const auto [width, height] = image.shape;
  const float* const pixels = image.pixels.data();
  const float* const here = pixels + y * width;
  float* const out = result + y * width;
  const bool inside = y > 0 && y < height - 1;
  if (inside && !filter_inner(here - width, here, here + width, width, out)) {
    out[0] = median_about(pixels, image.shape, 0, y);
    out[width - 1] = median_about(pixels, image.shape, width - 1, y);
    return;
  }
  for (std::int64_t x = 0; x < width; ++x) out[x] = median_about(pixels, image.shape, x, y);
}

}  // namespace

Image<float, Cpu> median_filter(const Image<float, Cpu>& image, const Cpu& where) {
  SRCEXTRACT_EXPECT(has_its_pixels(image));
  return image_of_rows<float>(image.shape, row_memory_of(image), where,
                              [from = shared_rows(image)](float* result, std::int64_t begin, std::int64_t end) {
                                const HeldRows rows(*from, begin - 1, end + 1);
                                for (std::int64_t y = begin; y < end; ++y) filter_row(*from, y, result);
                              });
}

double white_noise_after_median(const Kernel& kernel) {
  // The covariance of two medians by the distance of their pixels along both axes, for independent normal values of
  // sigma 1: the variance is that of the median of nine (Godwin 1949), the others are of 10^8 simulated pixels.
  constexpr int reach = 2;
  constexpr double covariance[reach + 1][reach + 1] = {
      {0.16610, 0.0949, 0.0450}, {0.0949, 0.0608, 0.0296}, {0.0450, 0.0296, 0.0146}};
  double variance = 0;
  const auto size = [](int length) { return static_cast<std::size_t>(length); };
  const auto weight = [&](int x, int y) {
    const bool inside = x >= 0 && y >= 0 && x < kernel.width && y < kernel.height;
    return inside ? static_cast<double>(kernel.weights[size(y) * size(kernel.width) + size(x)]) : 0;
  };
  for (int y = 0; y < kernel.height; ++y)
    for (int x = 0; x < kernel.width; ++x)
      for (int dy = -reach; dy <= reach; ++dy)
        for (int dx = -reach; dx <= reach; ++dx)
          variance += weight(x, y) * weight(x + dx, y + dy) * covariance[std::abs(dy)][std::abs(dx)];
  return std::sqrt(variance);
}

Kernel noise_kernel_after_median(const Kernel& kernel) {
  // the variance with which Gaussian kernels of sigma 0.85 make of white noise what they and the filter make of it
  constexpr double variance = 0.39;
  constexpr double along[] = {variance / 2, 1 - variance, variance / 2};
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(kernel.height) + 2,
                                        std::vector<double>(static_cast<std::size_t>(kernel.width) + 2));
  for (std::size_t y = 0; y < rows.size() - 2; ++y)
    for (std::size_t x = 0; x < rows[y].size() - 2; ++x)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i)
          rows[y + j][x + i] +=
              along[j] * along[i] * static_cast<double>(kernel.weights[y * static_cast<std::size_t>(kernel.width) + x]);
  return kernel_of_values(std::move(rows), false);
}

}  // namespace srcextract
