#pragma once

#include "cuda/device/launch.hpp"

namespace srcextract {

/// Replaces every count by the sum of all counts before it, and writes the total behind the last. Only the device knows
/// the number of counts. The buffer must have room for items.room + 1 elements.
void make_running_sums(Buffer<std::uint32_t, Gpu>& counts, const ItemCount& items, const Gpu& where);

}  // namespace srcextract
