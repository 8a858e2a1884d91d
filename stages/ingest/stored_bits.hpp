#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "stages/ingest/decode.hpp"

namespace srcextract {

/// Loads the stored pixel at the address `at` and returns its value, unscaled, in the host's byte order.
template <class Stored>
typename Stored::Value load_stored(const std::byte* at, const PixelFormat& format) {
  typename Stored::Bits bits;
  std::memcpy(&bits, at, sizeof(bits));
  if (format.big_endian) bits = swap_bytes(bits);
  typename Stored::Value stored;
  std::memcpy(&stored, &bits, sizeof(stored));
  return stored;
}

template <class Stored>
bool is_blank(typename Stored::Value stored, const PixelFormat& format) {
  if constexpr (std::is_integral_v<typename Stored::Value>)
    return format.blank && static_cast<std::int64_t>(stored) == *format.blank;
  return false;
}

/// Returns the bits of a stored integer without scaling. FITS stores unsigned integers (and signed bytes) with bzero =
/// 2^(bits - 1) (or -128). Therefore the highest bit is flipped if bzero is not 0.
template <class Stored>
SRCEXTRACT_HOST_DEVICE std::uint64_t bits_of(typename Stored::Value stored, double bzero) {
  using Bits = typename Stored::Bits;
  constexpr Bits highest = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto bits = static_cast<Bits>(stored);
  return bzero == 0 ? bits : static_cast<Bits>(bits ^ highest);
}

}  // namespace srcextract
