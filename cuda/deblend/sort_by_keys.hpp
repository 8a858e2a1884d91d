#pragma once

#include "stages/core/buffer.hpp"

namespace srcextract {

/// Sorts by the lowest so many bits of the keys, keeping the order of equals. Defined for values of std::int32_t and
/// PixelStretch, in sort_by_keys.cu.
template <class T>
void sort_by_keys(Buffer<std::uint64_t, Gpu>& keys, Buffer<T, Gpu>& values, int bits, const Gpu& where);

}  // namespace srcextract
