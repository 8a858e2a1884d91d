#pragma once

#include <cstdint>

#include "cuda/crowd/device_list.hpp"
#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/star_cells.hpp"

namespace srcextract {

/// Replaces each of the first `count` numbers by the sum of all numbers before it, and writes the total to element
/// `count`, which must exist. Returns the total.
std::int64_t sum_before(Buffer<std::int64_t, Gpu>& numbers, std::int64_t count, const Gpu& where);

/// For each k from 0 to `groups`, sets begin[k] to the index of the first key that is at least k, or to `count` without
/// such a key. The `count` keys must be in ascending order.
void find_begins(const std::uint32_t* keys, std::int64_t count, std::int64_t* begin, std::int64_t groups,
                 const Gpu& where);

/// Returns the indices of the flags that are 1 among the first `count`, in ascending order. Flags must be 0 or 1.
Buffer<std::int64_t, Gpu> places_of(const Buffer<std::uint8_t, Gpu>& flags, std::int64_t count, const Gpu& where);

/// Removes the stars whose flags are 0; the others keep their order.
void keep_flagged(DeviceList<CrowdStar>& stars, const Buffer<std::uint8_t, Gpu>& flags, const Gpu& where);

/// StarCells in device memory: squares of the image with the numbers of their stars.
class DeviceCells {
 public:
  DeviceCells(const DeviceList<CrowdStar>& stars, const Shape& shape, const Gpu& where);
  const CellsView& view() const { return view_; }

 private:
  CellsView view_;
  Buffer<std::int32_t, Gpu> begin_, number_;
};

}  // namespace srcextract
