#pragma once

#include "cuda/device/launch.hpp"

namespace srcextract {

/// Replaces every count by the sum of all earlier counts, and writes the total after the last one. The number of counts
/// may be known only on the device. The buffer must have room for items.room + 1 elements.
void make_running_sums(Buffer<std::uint32_t, Gpu>& counts, const ItemCount& items, const Gpu& where);

}  // namespace srcextract
