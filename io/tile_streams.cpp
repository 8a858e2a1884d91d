#include "io/tile_streams.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/gzip.hpp"

namespace srcextract {
namespace {

using Stream = std::span<const std::byte>;

/// A signed number.
std::int64_t big_endian(Stream bytes) {
  std::uint64_t value = 0;
  for (std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  const auto unused = static_cast<int>(64 - 8 * bytes.size());
  return static_cast<std::int64_t>(value << unused) >> unused;
}

/// A place in a stream of bits, most significant first. Beyond the end there are zeros.
class BitCursor {
 public:
  explicit BitCursor(Stream bytes) : bytes_(bytes) {}

  bool inside() const { return bit_ <= 8 * std::ssize(bytes_); }
  void skip(std::int64_t bits) { bit_ += bits; }

  int read(int bits) {
    const std::uint64_t value = window() >> (64 - bits);
    bit_ += bits;
    return static_cast<int>(value);
  }

  /// Moves behind `count` differences, each of any number of zeros, a one, and `low_bits` bits; or out of the stream.
  void skip_differences(std::int64_t count, int low_bits) {
    while (count > 0 && inside()) {
      std::uint64_t bits = window();
      int used = 0;
      for (; count > 0; --count) {
        const int length = std::countl_zero(bits) + 1 + low_bits;
        if (used + length > sure_bits) break;
        bits <<= length;
        used += length;
      }
      bit_ += used;
      if (used > 0) continue;
      skip_zeros_and_one();
      bit_ += low_bits;
      --count;
    }
  }

 private:
  static constexpr int sure_bits = 57;  ///< bits of a window at any place within a byte

  void skip_zeros_and_one() {
    while (inside()) {
      const int zeros = std::countl_zero(window());
      if (zeros < sure_bits) {
        bit_ += zeros + 1;
        return;
      }
      bit_ += sure_bits;
    }
  }

  std::uint64_t window() const {
    const auto first = static_cast<std::size_t>(bit_ / 8);
    std::uint64_t bits = 0;
    if (first < bytes_.size()) std::memcpy(&bits, &bytes_[first], std::min<std::size_t>(8, bytes_.size() - first));
    if constexpr (std::endian::native == std::endian::little) bits = __builtin_bswap64(bits);
    return bits << bit_ % 8;
  }

  Stream bytes_;
  std::int64_t bit_ = 0;
};

}  // namespace

// The first pixel stands there as it is. Every block of pixels then begins with the number, plus one, of low bits that
// its differences have; 0 means that all are zero, the largest number that they stand there as they are. The high bits
// of a difference are as many zeros, and a one.
bool is_rice_tile(Stream stream, std::int64_t pixels, const RiceParameters& parameters) {
  const bool one = parameters.pixel_bytes == 1, two = parameters.pixel_bytes == 2;
  const std::int64_t pixel_bytes = one ? 1 : two ? 2 : 4;
  const int code_bits = one ? 3 : two ? 4 : 5;
  const int as_they_are = one ? 6 : two ? 14 : 25;
  if (std::ssize(stream) < pixel_bytes) return false;
  BitCursor cursor(stream.subspan(static_cast<std::size_t>(pixel_bytes)));
  for (std::int64_t pixel = 0; pixel < pixels && cursor.inside(); pixel += parameters.block) {
    const std::int64_t count = std::min(parameters.block, pixels - pixel);
    const int low_bits = cursor.read(code_bits) - 1;
    if (low_bits == as_they_are) {
      cursor.skip(8 * pixel_bytes * count);
    } else if (low_bits >= 0) {
      cursor.skip_differences(count, low_bits);
    }
  }
  return cursor.inside();
}

// 2 bytes of magic, the two lengths of the tile, the scale, the sum of the pixels, three numbers of bit planes.
bool is_hcompress_tile(Stream stream, std::int64_t pixels) {
  if (stream.size() < 25) return false;
  const std::int64_t nx = big_endian(stream.subspan(2, 4)), ny = big_endian(stream.subspan(6, 4));
  return nx > 0 && ny > 0 && nx <= pixels && ny <= pixels && nx * ny == pixels;
}

// A list of 16-bit words. Its length is the third if that is positive, else in the fourth and fifth, and then the
// second is the length of its header.
bool is_plio_tile(Stream stream) {
  if (stream.size() < 14) return false;
  const auto word = [&](std::size_t number) { return big_endian(stream.subspan(2 * number - 2, 2)); };
  const std::int64_t length = word(3) > 0 ? word(3) : word(5) * 32768 + word(4);
  return length > 0 && 2 * length <= std::ssize(stream) && word(2) >= 0;
}

bool is_gzip_tile(Stream stream, std::int64_t pixels, std::initializer_list<std::int64_t> pixel_bytes) {
  const std::int64_t size = inflated_size(stream, *std::max_element(pixel_bytes.begin(), pixel_bytes.end()) * pixels);
  return std::ranges::any_of(pixel_bytes, [&](std::int64_t bytes) { return size == bytes * pixels; });
}

}  // namespace srcextract
