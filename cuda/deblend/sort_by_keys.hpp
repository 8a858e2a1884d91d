#pragma once

#include "stages/core/buffer.hpp"

namespace srcextract {

/// Sorts keys, and values with them, by the lowest `bits` bits of the keys; equal keys keep their order. Defined for
/// values of std::int32_t and PixelStretch, in sort_by_keys.cu.
template <class T>
void sort_by_keys(Buffer<std::uint64_t, Gpu>& keys, Buffer<T, Gpu>& values, int bits, const Gpu& where);

}  // namespace srcextract
