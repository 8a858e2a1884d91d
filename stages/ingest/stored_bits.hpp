#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "stages/ingest/decode.hpp"

namespace srcextract {

/// The stored value at that place, in the byte order of this machine.
template <class Stored>
typename Stored::Value load_stored(const std::byte* at, const PixelFormat& format) {
  typename Stored::Bits bits;
  std::memcpy(&bits, at, sizeof(bits));
  if (format.big_endian) bits = swap_bytes(bits);
  typename Stored::Value stored;
  std::memcpy(&stored, &bits, sizeof(stored));
  return stored;
}

/// Whether an integer is one that means nothing.
template <class Stored>
bool is_blank(typename Stored::Value stored, const PixelFormat& format) {
  if constexpr (std::is_integral_v<typename Stored::Value>)
    return format.blank && static_cast<std::int64_t>(stored) == *format.blank;
  return false;
}

/// The bits of an integer, unscaled but for the conventions for unsigned ones (and for signed bytes), whose offset is
/// the highest bit: it turns the sign.
template <class Stored>
SRCEXTRACT_HOST_DEVICE std::uint64_t bits_of(typename Stored::Value stored, double bzero) {
  using Bits = typename Stored::Bits;
  constexpr Bits highest = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto bits = static_cast<Bits>(stored);
  return bzero == 0 ? bits : static_cast<Bits>(bits ^ highest);
}

}  // namespace srcextract
