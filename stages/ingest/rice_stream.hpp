#pragma once

#include <bit>
#include <cstdint>

#include "stages/core/rice_plane.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {

SRCEXTRACT_HOST_DEVICE inline int leading_zeros(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __clz(static_cast<int>(bits));
#else
  return std::countl_zero(bits);
#endif
}

/// The integers of a tile that RICE_1 compressed, one after the other, for one thread of many that do the same at the
/// same time: nearly all codes are decoded without a branch, and the next bits are loaded before they are needed. The
/// same integers, and the same damage, as decode_rice() finds (io/tiles/rice.hpp).
class RiceStream {
 public:
  /// `words` are of 4 bytes, as they stand in the file, and whatever follows the stream in the last of them is zero.
  SRCEXTRACT_HOST_DEVICE RiceStream(const std::uint32_t* words, std::uint32_t bytes, const RiceCoding& coding)
      : words_(words), word_count_((bytes + 3) / 4), bits_there_(8 * bytes), coding_(coding) {
    after_ = next_word();
    fill();
    last_ = read(coding_.pixel_bits);
  }

  /// To be called before the first integer of every block.
  SRCEXTRACT_HOST_DEVICE void begin_block() {
    const int low_bits = static_cast<int>(read(coding_.number_bits)) - 1;
    too_many_ |= low_bits > coding_.as_they_are;
    coded_ = low_bits >= 0 && low_bits < coding_.as_they_are;
    low_bits_ = coded_ ? low_bits : 0;
    plain_bits_ = low_bits == coding_.as_they_are ? coding_.pixel_bits : 0;
  }

  /// The next integer; its lowest bits, as many as the coding has, count.
  SRCEXTRACT_HOST_DEVICE std::uint32_t next() {
    const std::uint32_t high = window();
    const int zeros = leading_zeros(high);
    int length = coded_ ? zeros + 1 + low_bits_ : plain_bits_;
    std::uint32_t code;
    if (length > word_bits) {
      code = long_code();
      length = 0;
    } else if (coded_) {
      // The one before the low bits is taken along: one is too many of the high ones.
      code = ((high << zeros) >> (word_bits - 1 - low_bits_)) + (static_cast<std::uint32_t>(zeros - 1) << low_bits_);
    } else {
      code = static_cast<std::uint32_t>(static_cast<std::uint64_t>(high) >> (word_bits - plain_bits_));
    }
    skip(length);
    last_ += (code >> 1) ^ (0U - (code & 1U));
    return last_;
  }

  /// Whether what was read so far is none of a stream that is as long.
  SRCEXTRACT_HOST_DEVICE bool damaged() const { return too_many_ || beyond(); }

 private:
  static constexpr int word_bits = 32;

  /// The next 32 bits; beyond the end there are zeros.
  SRCEXTRACT_HOST_DEVICE std::uint32_t window() const { return static_cast<std::uint32_t>(bits_ >> word_bits); }

  SRCEXTRACT_HOST_DEVICE bool beyond() const { return bits_taken_ - static_cast<std::uint32_t>(have_) > bits_there_; }

  SRCEXTRACT_HOST_DEVICE std::uint32_t next_word() { return at_ < word_count_ ? swap_bytes(words_[at_++]) : 0; }

  SRCEXTRACT_HOST_DEVICE void fill() {
    if (have_ > word_bits) return;
    bits_ |= static_cast<std::uint64_t>(after_) << (word_bits - have_);
    have_ += word_bits;
    bits_taken_ += word_bits;
    after_ = next_word();
  }

  /// Up to 32 bits.
  SRCEXTRACT_HOST_DEVICE void skip(int bits) {
    bits_ <<= bits;
    have_ -= bits;
    fill();
  }

  /// 1 to 32 of them.
  SRCEXTRACT_HOST_DEVICE std::uint32_t read(int bits) {
    const std::uint32_t value = window() >> (word_bits - bits);
    skip(bits);
    return value;
  }

  /// One that is longer than the window.
  SRCEXTRACT_HOST_DEVICE std::uint32_t long_code() {
    std::uint32_t zeros = 0;
    while (window() == 0 && !beyond()) {
      zeros += word_bits;
      skip(word_bits);
    }
    if (window() == 0) return 0;  // beyond the end
    const int here = leading_zeros(window());
    skip(here + 1);
    const std::uint32_t high = (zeros + static_cast<std::uint32_t>(here)) << low_bits_;
    return low_bits_ > 0 ? high | read(low_bits_) : high;
  }

  const std::uint32_t* words_;
  std::uint32_t word_count_, at_ = 0;
  std::uint32_t bits_there_;
  RiceCoding coding_;
  std::uint64_t bits_ = 0;        ///< those that come next, from the highest on
  int have_ = 0;                  ///< of them, 32 at least between calls
  std::uint32_t bits_taken_ = 0;  ///< from words
  std::uint32_t after_ = 0;       ///< the word behind those
  std::uint32_t last_ = 0;
  int low_bits_ = 0, plain_bits_ = 0;
  bool coded_ = false, too_many_ = false;
};

}  // namespace srcextract
