#pragma once

#include <cstdint>

#include "stages/core/buffer.hpp"

namespace srcextract {

/// Sorts the first `count` keys in ascending order of their lowest `bits` bits, and moves values along with their keys.
/// Equal keys keep their order. sort.cu instantiates this template for common types; other files instantiate it for
/// their own types by including sort_body.hpp.
template <class Key, class T>
void sort_by_keys(Buffer<Key, Gpu>& keys, Buffer<T, Gpu>& values, std::int64_t count, int bits, const Gpu& where);

/// Sorts the first `count` keys in ascending order of their lowest `bits` bits.
template <class Key>
void sort_keys(Buffer<Key, Gpu>& keys, std::int64_t count, int bits, const Gpu& where);

}  // namespace srcextract
