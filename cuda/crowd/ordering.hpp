#pragma once

#include <cstdint>

#include "cuda/crowd/device_list.hpp"
#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/star_cells.hpp"

namespace srcextract {

/// Replaces each of `count` numbers by the sum of all before it, and puts the total behind them, where there must be
/// room. Returns the total.
std::int64_t sum_before(Buffer<std::int64_t, Gpu>& numbers, std::int64_t count, const Gpu& where);

/// begin[k] = the index of the first of `count` ascending keys that is not below k, for k from 0 to `groups`.
void find_begins(const std::uint32_t* keys, std::int64_t count, std::int32_t* begin, std::int64_t groups,
                 const Gpu& where);
void find_begins(const std::uint32_t* keys, std::int64_t count, std::int64_t* begin, std::int64_t groups,
                 const Gpu& where);

/// The places of those of `count` flags that are set, ascending.
Buffer<std::int64_t, Gpu> places_of(const Buffer<std::uint8_t, Gpu>& flags, std::int64_t count, const Gpu& where);

/// Keeps only the stars whose flags are set, in their order.
void keep_flagged(DeviceList<CrowdStar>& stars, const Buffer<std::uint8_t, Gpu>& flags, const Gpu& where);

/// StarCells on a device.
class DeviceCells {
 public:
  DeviceCells(const DeviceList<CrowdStar>& stars, const Shape& shape, const Gpu& where);
  const CellsView& view() const { return view_; }

 private:
  CellsView view_;
  Buffer<std::int32_t, Gpu> begin_, number_;
};

}  // namespace srcextract
