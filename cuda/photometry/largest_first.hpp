#pragma once

#include <cstdint>

#include "cuda/device/launch.hpp"
#include "cuda/device/memory.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// Returns the indices of all sources, roughly from large to small. If warps began large sources last, these would
/// still run when all other warps are done. The order of sources of about equal size is unspecified; results must not
/// depend on it.
Buffer<std::int32_t, Gpu> largest_first(const SourceSums* sums, const ItemCount& items, const Gpu& where);

}  // namespace srcextract
