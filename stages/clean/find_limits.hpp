#pragma once

#include "stages/clean/clean_sources.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// The limit of every source (stages/clean/clean_limit.hpp). The pixels of a split-off source come in this order:
/// - the pixels of its core, in the core's order;
/// - its other pixels, in the order of the island.
///
/// On a host core the device's steps (shared_limits.hpp) take twice as long, and CLEAN as a whole 1.6 times as long.
Buffer<float, Cpu> find_limits(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources,
                               const DetectionConfig& config, const Cpu& where);

}  // namespace srcextract
