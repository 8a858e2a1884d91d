#pragma once

#include "stages/clean/clean_sources.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Returns the limit of every source (stages/clean/clean_limit.hpp). The pixels of a source that was split off come in
/// this order:
/// - the pixels of its core, in the order of a set of its own;
/// - its other pixels, in the order of the whole island.
/// The device's steps (shared_limits.hpp) are not used on the host. There they would take twice as long, and CLEAN as a
/// whole would take 1.6 times as long.
Buffer<float, Cpu> find_limits(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources,
                               const DetectionConfig& config, const Cpu& where);

}  // namespace srcextract
