#pragma once

#include "config/settings/detection.hpp"
#include "stages/clean/clean_sources.hpp"

namespace srcextract {

/// What every source stands out with over its threshold (stages/clean/clean_limit.hpp). The pixels of one that was
/// split off are in the order of those of its core, and after them, of those of its island, those that it got besides.
Buffer<float, Cpu> find_limits(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources,
                               const DetectionConfig& config, const Cpu& where);

}  // namespace srcextract
