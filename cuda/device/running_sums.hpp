#pragma once

#include "cuda/device/launch.hpp"

namespace srcextract {

/// Counts, of which the device knows how many there are, become the sums of all before each, and what is behind the
/// last the sum of all. There is room for one more than items.room.
void make_running_sums(Buffer<std::uint32_t, Gpu>& counts, const ItemCount& items, const Gpu& where);

}  // namespace srcextract
