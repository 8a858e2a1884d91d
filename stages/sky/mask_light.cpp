#include "stages/sky/mask_light.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/sky/rows_in_noise.hpp"

namespace srcextract {

namespace {

/// Rows of bins that a thread takes at a time.
constexpr std::int64_t bin_rows_at_a_time = 2;

/// Sums of the columns of pixels in one row of bins.
struct ColumnSums {
  explicit ColumnSums(std::int64_t width)
      : sum(static_cast<std::size_t>(width)), count(static_cast<std::size_t>(width)) {}

  void clear() {
    std::ranges::fill(sum, 0.0);
    std::ranges::fill(count, 0);
  }

  void add(const float* pixels) {
    for (std::size_t x = 0; x < sum.size(); ++x) {
      const bool masked = pixels[x] != pixels[x];
      sum[x] += masked ? 0.0 : static_cast<double>(pixels[x]);
      count[x] += masked ? 0 : 1;
    }
  }

  float significance(std::int64_t bin) const {
    const auto first = static_cast<std::size_t>(bin * LightRule::side);
    const std::size_t last = std::min(sum.size(), first + static_cast<std::size_t>(LightRule::side));
    double all = 0;
    int pixels = 0;
    for (std::size_t x = first; x < last; ++x) {
      all += sum[x];
      pixels += count[x];
    }
    return bin_significance(all, pixels);
  }

  std::vector<double> sum;
  std::vector<int> count;
};

/// Writes every pixel to `scaled` in units of the noise, and returns the significance of each bin.
std::vector<float> find_light(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, Image<float, Cpu>& scaled,
                              const Cpu& where) {
  const std::int64_t width = image.shape.width, height = image.shape.height;
  const Shape bins = light_bins(image.shape);
  std::vector<float> significance(static_cast<std::size_t>(bins.count()));
  parallel_for(bins.height, bin_rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    RowsInNoise rows(image, mesh);
    ColumnSums sums(width);
    for (std::int64_t row = begin; row < end; ++row) {
      sums.clear();
      for (std::int64_t y = row * LightRule::side; y < std::min(height, (row + 1) * LightRule::side); ++y) {
        float* const to = scaled.pixels.data() + y * width;
        rows.convert(y, to);
        sums.add(to);
      }
      for (std::int64_t x = 0; x < bins.width; ++x)
        significance[static_cast<std::size_t>(row * bins.width + x)] = sums.significance(x);
    }
  });
  return significance;
}

float limit_of(const std::vector<float>& significance) {
  std::vector<unsigned int> counts(LightHistogram::steps);
  for (const float one : significance)
    if (one == one) ++counts[static_cast<std::size_t>(LightHistogram::step_of(one))];
  return light_limit(counts.data());
}

}  // namespace

Image<float, Cpu> mask_light(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  Image<float, Cpu> masked(image.shape, where);
  const std::vector<float> significance = find_light(image, mesh, masked, where);
  const float limit = limit_of(significance);
  const Shape bins = light_bins(image.shape);
  const std::int64_t width = image.shape.width, height = image.shape.height;
  parallel_for(bins.height, bin_rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t lit_row = std::max<std::int64_t>(0, begin - 1); lit_row < std::min(bins.height, end + 1);
         ++lit_row) {
      for (std::int64_t bin = 0; bin < bins.width; ++bin) {
        if (!(significance[static_cast<std::size_t>(lit_row * bins.width + bin)] > limit)) continue;
        const std::int64_t first = std::max<std::int64_t>(0, (bin - 1) * LightRule::side);
        const std::int64_t last = std::min(width, (bin + 2) * LightRule::side);
        const std::int64_t top = std::max(begin, lit_row - 1) * LightRule::side;
        const std::int64_t bottom = std::min(height, std::min(end, lit_row + 2) * LightRule::side);
        for (std::int64_t y = top; y < bottom; ++y)
          std::fill(masked.pixels.data() + y * width + first, masked.pixels.data() + y * width + last, masked_pixel);
      }
    }
  });
  return masked;
}

}  // namespace srcextract
