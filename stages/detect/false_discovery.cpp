#include "stages/detect/false_discovery.hpp"

#include <algorithm>

#include "stages/detect/false_discovery_rule.hpp"
#include "stages/detect/significance_counts.hpp"

namespace srcextract {

double false_discovery_share(const DetectionConfig& config) {
  double sum = 0;
  for (std::int64_t n = std::max<std::int64_t>(1, config.correlated_pixels); n > 0; --n)
    sum += 1.0 / static_cast<double>(n);
  return config.false_discovery_rate / sum;
}

Value<double, Cpu> false_discovery_threshold(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                             const NoiseMap<Cpu>& noise, const DetectionConfig& config,
                                             const Cpu& where) {
  const Buffer<std::int64_t, Cpu> counts = count_significance(image, levels, noise, where);
  const double share = false_discovery_share(config);
  int lowest = significance_bins - 1;
  std::int64_t above = 0;
  for (int bin = significance_bins - 1; bin >= 0; --bin) {
    above += counts[bin];
    if (keeps_share(bin, above, counts[significance_bins], share)) lowest = bin;
  }
  return significance_edge(lowest);
}

void raise_levels(Value<Levels, Cpu>& levels, const Value<double, Cpu>& threshold, const Cpu&) {
  raise(*levels, *threshold);
}

}  // namespace srcextract
