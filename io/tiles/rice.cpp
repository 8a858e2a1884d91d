#include "io/tiles/rice.hpp"

#include <algorithm>
#include <bit>

#include "io/tiles/bit_cursor.hpp"
#include "stages/core/rice_plane.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

/// A pixel is the one before it and a difference; of these the even codes are not negative and the odd ones are.
template <class Pixel>
class Differences {
 public:
  Differences(std::uint32_t first, Pixel* out) : last_(first), out_(out) {}

  void add(std::uint32_t code) {
    last_ += (code >> 1) ^ -(code & 1);
    *out_++ = static_cast<Pixel>(last_);
  }
  void repeat(std::int64_t count) { out_ = std::fill_n(out_, count, static_cast<Pixel>(last_)); }

 private:
  std::uint32_t last_;
  Pixel* out_;
};

/// Every code is its high bits, as so many zeros and a one, and then its low bits. As many codes as a window is sure to
/// hold are taken from it at once.
template <class Pixel>
SRCEXTRACT_VECTOR_CLONES void decode_block(BitCursor& cursor, std::int64_t count, int low_bits,
                                           Differences<Pixel>& differences) {
  while (count > 0 && cursor.inside()) {
    std::uint64_t bits = cursor.window();
    int used = 0;
    for (; count > 0; --count) {
      const int zeros = std::countl_zero(bits);
      const int length = zeros + 1 + low_bits;
      if (used + length > BitCursor::sure_bits) break;
      // The one before the low bits is taken along: one is too many of the high ones.
      const std::uint64_t low = bits << zeros >> (63 - low_bits);
      differences.add(static_cast<std::uint32_t>(low) + (static_cast<std::uint32_t>(zeros - 1) << low_bits));
      bits <<= length;
      used += length;
    }
    cursor.skip(used);
    if (used > 0) continue;
    const auto high = static_cast<std::uint32_t>(cursor.read_zeros()) << low_bits;
    differences.add(high | (low_bits > 0 ? cursor.read(low_bits) : 0));
    --count;
  }
}

}  // namespace

bool can_be_rice(std::span<const std::byte> stream, std::int64_t pixels, std::int64_t block) {
  constexpr std::int64_t most_blocks_of_a_byte = 3;
  return (pixels - 1) / block < most_blocks_of_a_byte * std::ssize(stream);
}

template <class Pixel>
bool decode_rice(std::span<const std::byte> stream, std::int64_t block, std::span<Pixel> pixels) {
  constexpr RiceCoding coding = rice_coding(sizeof(Pixel));
  constexpr int pixel_bits = coding.pixel_bits, as_they_are = coding.as_they_are;
  BitCursor cursor(stream);
  Differences<Pixel> differences(cursor.read(pixel_bits), pixels.data());
  for (std::int64_t done = 0; done < std::ssize(pixels) && cursor.inside(); done += block) {
    const std::int64_t count = std::min(block, std::ssize(pixels) - done);
    const int low_bits = static_cast<int>(cursor.read(coding.number_bits)) - 1;
    if (low_bits > as_they_are) return false;
    if (low_bits < 0) {
      differences.repeat(count);
    } else if (low_bits == as_they_are) {
      for (std::int64_t i = 0; i < count && cursor.inside(); ++i) differences.add(cursor.read(pixel_bits));
    } else {
      decode_block(cursor, count, low_bits, differences);
    }
  }
  return cursor.inside();
}

template bool decode_rice(std::span<const std::byte>, std::int64_t, std::span<std::uint8_t>);
template bool decode_rice(std::span<const std::byte>, std::int64_t, std::span<std::int16_t>);
template bool decode_rice(std::span<const std::byte>, std::int64_t, std::span<std::int32_t>);

}  // namespace srcextract
