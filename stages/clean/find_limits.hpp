#pragma once

#include "stages/clean/clean_sources.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Returns the limit of every source (clean_limit.hpp). If deblending split an island, the pixels of a source are taken
/// in this order:
/// - first the pixels of its core, in SExtractor's order for this set of pixels alone;
/// - then its other pixels, in SExtractor's order for the whole island.
///
/// The device uses the steps in shared_limits.hpp instead. On the host these steps would take twice as long, and CLEAN
/// as a whole 1.6 times as long (measured).
Buffer<float, Cpu> find_limits(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources,
                               const DetectionConfig& config, const Cpu& where);

}  // namespace srcextract
