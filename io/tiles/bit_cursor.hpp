#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace srcextract {

/// A position in a stream of bits; each byte begins with the most significant bit. Bits beyond the end read as zeros.
class BitCursor {
 public:
  static constexpr int sure_bits = 57;  ///< number of bits of window() that are valid at every position

  explicit BitCursor(std::span<const std::byte> bytes, std::int64_t bit = 0) : bytes_(bytes), bit_(bit) {}

  std::int64_t bit() const { return bit_; }
  bool inside() const { return bit_ <= 8 * std::ssize(bytes_); }
  void skip(int bits) { bit_ += bits; }

  /// Returns the next bits of the stream, left-aligned in 64 bits. At least the first sure_bits of these are valid.
  std::uint64_t window() const {
    const auto first = static_cast<std::size_t>(bit_ / 8);
    std::uint64_t bits = 0;
    if (first + sizeof(bits) <= bytes_.size()) {
      std::memcpy(&bits, &bytes_[first], sizeof(bits));
    } else if (first < bytes_.size()) {
      std::memcpy(&bits, &bytes_[first], bytes_.size() - first);
    }
    if constexpr (std::endian::native == std::endian::little) bits = __builtin_bswap64(bits);
    return bits << bit_ % 8;
  }

  /// Number of bytes of which at least one bit has been read.
  std::int64_t bytes_begun() const { return (bit_ + 7) / 8; }
  void to_next_byte() { bit_ = 8 * bytes_begun(); }

  /// Reads the next `bits` bits, 1 to 32.
  std::uint32_t read(int bits) {
    const std::uint64_t value = window() >> (64 - bits);
    bit_ += bits;
    return static_cast<std::uint32_t>(value);
  }

  /// Skips a sequence of zeros and the one that follows, and returns the number of zeros. Returns 0 at the end of the
  /// stream.
  std::int64_t read_zeros() {
    for (std::int64_t zeros = 0; inside(); zeros += sure_bits) {
      const int here = std::countl_zero(window());
      bit_ += std::min(here + 1, sure_bits);
      if (here < sure_bits) return zeros + here;
    }
    return 0;
  }

 private:
  std::span<const std::byte> bytes_;
  std::int64_t bit_;
};

}  // namespace srcextract
