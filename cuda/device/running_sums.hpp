#pragma once

#include "cuda/device/launch.hpp"

namespace srcextract {

/// Replaces every count by the sum of all earlier counts, and writes the total behind the last count. The number of
/// counts may be known only on the device. The buffer must hold items.room + 1 elements.
void make_running_sums(Buffer<std::uint32_t, Gpu>& counts, const ItemCount& items, const Gpu& where);

}  // namespace srcextract
