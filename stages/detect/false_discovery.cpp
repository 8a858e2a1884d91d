#include "stages/detect/false_discovery.hpp"

#include <mutex>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/detect/false_discovery_rule.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows_per_count = 64;

/// Counts of pixels by their significance.
struct Counts {
  std::vector<std::int64_t> in_bin = std::vector<std::int64_t>(significance_bins, 0);
  std::int64_t pixels = 0;

  void add(int bin) {
    if (bin != masked_bin) ++pixels;
    if (bin >= 0) ++in_bin[static_cast<std::size_t>(bin)];
  }
};

Counts& operator+=(Counts& to, const Counts& from) {
  to.pixels += from.pixels;
  for (std::size_t i = 0; i < to.in_bin.size(); ++i) to.in_bin[i] += from.in_bin[i];
  return to;
}

Counts count_pixels(const Image<float, Cpu>& image, const Levels& levels, const NoiseMap<Cpu>& map, const Cpu& where) {
  Counts all;
  std::mutex merge;
  const auto [width, height] = image.shape;
  parallel_for(height, rows_per_count, where, [&, width = width](std::int64_t begin, std::int64_t end) {
    Counts own;
    RowNoise noise(map, width);
    for (std::int64_t y = begin; y < end; ++y) {
      noise.go_to(y);
      const float* row = image.pixels.data() + y * width;
      for (std::int64_t x = 0; x < width; ++x)
        own.add(
            significance_bin(row[x], levels, noise.varies() ? unit_above_noise(levels, noise.at(x)) : unit(levels)));
    }
    const std::lock_guard lock(merge);
    all += own;
  });
  return all;
}

}  // namespace

double false_discovery_share(const DetectionConfig& config) {
  double sum = 0;
  for (std::int64_t n = config.correlated_pixels; n > 0; --n) sum += 1.0 / static_cast<double>(n);
  return config.false_discovery_rate / sum;
}

Value<double, Cpu> false_discovery_threshold(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                             const NoiseMap<Cpu>& noise, const DetectionConfig& config,
                                             const Cpu& where) {
  const Counts counts = count_pixels(image, *levels, noise, where);
  const double share = false_discovery_share(config);
  int lowest = significance_bins - 1;
  std::int64_t above = 0;
  for (int bin = significance_bins - 1; bin >= 0; --bin) {
    above += counts.in_bin[static_cast<std::size_t>(bin)];
    if (keeps_share(bin, above, counts.pixels, share)) lowest = bin;
  }
  return significance_edge(lowest);
}

void raise_levels(Value<Levels, Cpu>& levels, const Value<double, Cpu>& threshold, const Cpu&) {
  raise(*levels, *threshold);
}

}  // namespace srcextract
