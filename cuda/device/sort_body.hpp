#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "cuda/device/sort.hpp"
#include "cuda/device/with_scratch.hpp"

namespace srcextract {

// Definitions of the templates of sort.hpp. Only files that instantiate the templates include this header, since CUB
// takes long to compile.

template <class Key, class T>
void sort_by_keys(Buffer<Key, Gpu>& keys, Buffer<T, Gpu>& values, std::int64_t count, int bits, const Gpu& where) {
  if (count == 0) return;
  Buffer<Key, Gpu> other_keys(keys.size(), where);
  Buffer<T, Gpu> other_values(values.size(), where);
  cub::DoubleBuffer<Key> key(keys.data(), other_keys.data());
  cub::DoubleBuffer<T> value(values.data(), other_values.data());
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, key, value, count, 0, bits, where.stream);
  });
  if (key.Current() != keys.data()) std::swap(keys, other_keys);
  if (value.Current() != values.data()) std::swap(values, other_values);
}

template <class Key>
void sort_keys(Buffer<Key, Gpu>& keys, std::int64_t count, int bits, const Gpu& where) {
  if (count == 0) return;
  Buffer<Key, Gpu> other(keys.size(), where);
  cub::DoubleBuffer<Key> both(keys.data(), other.data());
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, both, count, 0, bits, where.stream);
  });
  if (both.Current() != keys.data()) std::swap(keys, other);
}

}  // namespace srcextract
