#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace srcextract {

/// The unsigned integer type with as many bits as T.
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <class T>
T load_big_endian(const std::byte* bytes) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  using Bits = BitsOf<T>;
  Bits bits = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) bits = static_cast<Bits>(bits << 8 | std::to_integer<Bits>(bytes[i]));
  return std::bit_cast<T>(bits);
}

template <class T>
void store_big_endian(T value, std::byte* out) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(bits >> (8 * (sizeof(T) - 1 - i)));
}

}  // namespace srcextract
