#include "cuda/deblend/sort_by_keys.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "cuda/device/check.hpp"
#include "stages/clean/pixel_stretch.hpp"

namespace srcextract {

template <class T>
void sort_by_keys(Buffer<std::uint64_t, Gpu>& keys, Buffer<T, Gpu>& values, int bits, const Gpu& where) {
  if (keys.empty()) return;
  Buffer<std::uint64_t, Gpu> other_keys(keys.size(), where);
  Buffer<T, Gpu> other_values(values.size(), where);
  cub::DoubleBuffer<std::uint64_t> key(keys.data(), other_keys.data());
  cub::DoubleBuffer<T> value(values.data(), other_values.data());
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, value, keys.size(), 0, bits, where.stream));
  Buffer<std::byte, Gpu> scratch(static_cast<std::int64_t>(bytes), where);
  check(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, key, value, keys.size(), 0, bits, where.stream));
  if (key.Current() != keys.data()) std::swap(keys, other_keys);
  if (value.Current() != values.data()) std::swap(values, other_values);
}

template void sort_by_keys(Buffer<std::uint64_t, Gpu>&, Buffer<std::int32_t, Gpu>&, int, const Gpu&);
template void sort_by_keys(Buffer<std::uint64_t, Gpu>&, Buffer<PixelStretch, Gpu>&, int, const Gpu&);

}  // namespace srcextract
