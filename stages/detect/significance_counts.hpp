#pragma once

#include <cstdint>

#include "stages/core/buffer.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// Counts the pixels in each bin of significance_bin() (stages/detect/false_discovery_rule.hpp). The last element of
/// the result, after those of the bins, is the number of unmasked pixels.
Buffer<std::int64_t, Cpu> count_significance(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                             const NoiseMap<Cpu>& noise, const Cpu& where);
Buffer<std::int64_t, Gpu> count_significance(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                             const NoiseMap<Gpu>& noise, const Gpu& where);

}  // namespace srcextract
