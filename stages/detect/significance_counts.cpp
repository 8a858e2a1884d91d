#include "stages/detect/significance_counts.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/detect/false_discovery_rule.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows_per_count = 64;

}  // namespace

Buffer<std::int64_t, Cpu> count_significance(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                             const NoiseMap<Cpu>& map, const Cpu& where) {
  Buffer<std::int64_t, Cpu> counts(significance_bins + 1, where);
  std::fill(counts.begin(), counts.end(), 0);
  std::mutex merge;
  const auto [width, height] = image.shape;
  parallel_for(height, rows_per_count, where, [&, width = width](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> own(significance_bins + 1, 0);
    RowNoise noise(map, width);
    for (std::int64_t y = begin; y < end; ++y) {
      noise.go_to(y);
      const float* row = image.pixels.data() + y * width;
      for (std::int64_t x = 0; x < width; ++x) {
        const double here = noise.varies() ? unit_above_noise(*levels, noise.at(x)) : unit(*levels);
        const int bin = significance_bin(row[x], *levels, here);
        if (bin != masked_bin) ++own[significance_bins];
        if (bin >= 0) ++own[static_cast<std::size_t>(bin)];
      }
    }
    const std::lock_guard lock(merge);
    for (std::int64_t i = 0; i < counts.size(); ++i) counts[i] += own[static_cast<std::size_t>(i)];
  });
  return counts;
}

}  // namespace srcextract
