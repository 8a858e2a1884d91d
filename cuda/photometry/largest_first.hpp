#pragma once

#include <cstdint>

#include "cuda/device/launch.hpp"
#include "cuda/device/memory.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// The sources, as many as there are, with the larger before the smaller, roughly, so that no warp begins with the
/// largest when all others are done. In which order those of about the same size are is not said, and must not matter.
Buffer<std::int32_t, Gpu> largest_first(const SourceSums* sums, const ItemCount& items, const Gpu& where);

}  // namespace srcextract
