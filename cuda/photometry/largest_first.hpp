#pragma once

#include <cstdint>

#include "cuda/device/launch.hpp"
#include "cuda/device/memory.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// Returns the indices of all sources, roughly ordered from large to small. So no warp starts on a large source when
/// all others are done. The order among sources of about the same size is unspecified, and must not matter.
Buffer<std::int32_t, Gpu> largest_first(const SourceSums* sums, const ItemCount& items, const Gpu& where);

}  // namespace srcextract
