#include "stages/weights/mask_source.hpp"

#include <cstring>
#include <type_traits>
#include <vector>

#include "stages/ingest/decode.hpp"

namespace srcextract {
namespace {

constexpr std::byte is_good{0}, is_bad{1};

/// The bits of a stored value. The offset of unsigned integers is their highest bit, whose sign it turns.
template <class Stored>
std::uint64_t bits_of(typename Stored::Value stored, double bzero) {
  if constexpr (std::is_floating_point_v<typename Stored::Value>) {
    return stored == 0 ? 0 : ~std::uint64_t{0};
  } else {
    using Bits = typename Stored::Bits;
    constexpr Bits highest = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    const auto bits = static_cast<Bits>(stored);
    return bzero == 0 ? bits : static_cast<Bits>(bits ^ highest);
  }
}

template <class Stored>
std::byte judge(const std::byte* at, const PixelFormat& format, const BadPixels& bad) {
  typename Stored::Bits bits;
  std::memcpy(&bits, at, sizeof(bits));
  if (format.big_endian) bits = swap_bytes(bits);
  typename Stored::Value stored;
  std::memcpy(&stored, &bits, sizeof(stored));
  if constexpr (std::is_integral_v<typename Stored::Value>)
    if (format.blank && static_cast<std::int64_t>(stored) == *format.blank) return is_bad;
  const bool any = (bits_of<Stored>(stored, format.bzero) & bad.bits) != 0;
  return any == (bad.good == GoodPixels::nonzero) ? is_good : is_bad;
}

}  // namespace

PixelSource mask_source(const PixelSource& map, const BadPixels& bad) {
  PixelSource source;
  source.shape = map.shape;
  source.format = {.bitpix = 8, .blank = static_cast<std::int64_t>(is_bad)};
  source.read = [map, bad](std::int64_t first, std::int64_t count, std::byte* out) {
    thread_local std::vector<std::byte> stored;
    const std::int64_t bytes = map.format.bytes();
    stored.resize(static_cast<std::size_t>(count * bytes));
    map.read(first, count, stored.data());
    with_stored_type(map.format.bitpix, [&]<class Stored>(Stored) {
      for (std::int64_t i = 0; i < count; ++i) out[i] = judge<Stored>(stored.data() + i * bytes, map.format, bad);
    });
  };
  return source;
}

int mask_bits(const PixelFormat& format) {
  return format.bitpix > 0 ? format.bitpix : 0;
}

}  // namespace srcextract
