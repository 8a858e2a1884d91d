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

/// Reads the 32-bit words of a compressed stream, stored big-endian, in one GPU thread. Words are loaded several pixels
/// before they are used, 16 bytes at a time, at the same moment in all threads of a warp. If each thread loaded its
/// words when it needed them, the whole warp would wait for every load.
class RiceWords {
 public:
  static constexpr std::uint32_t ring_words = 16;
  /// The caller calls load_ahead() once every so many pixels.
  static constexpr int pixels_between = 8;

  /// `words` must be aligned to 16 bytes, and be readable up to the next multiple of 16 after the stream's `bytes`
  /// bytes. Bytes after the stream's end may have any value. `ring` is a buffer in fast memory; word i of the stream is
  /// stored at ring[i % ring_words * stride].
  SRCEXTRACT_HOST_DEVICE RiceWords(const std::uint32_t* words, std::uint32_t bytes, std::uint32_t* ring, int stride)
      : words_(words), count_((bytes + 3) / 4), ring_(ring), stride_(stride) {
    load_ahead();
    load_ahead();
  }

  /// Returns the next word in the host's byte order; zero after the last word.
  SRCEXTRACT_HOST_DEVICE std::uint32_t next() {
    if (at_ >= count_) return 0;
    const std::uint32_t at = at_++;
    return at < filled_ ? ring_[slot(at)] : swap_bytes(words_[at]);
  }

  /// Stores the words of the previous request in the ring, and requests the next four words if the ring has free places
  /// for them. The ring holds 16 words, so new words overwrite only words already read.
  SRCEXTRACT_HOST_DEVICE void load_ahead() {
    if (coming_ != none) {
      for (std::uint32_t i = 0; i < at_once; ++i) ring_[slot(coming_ + i)] = swap_bytes(group_.word[i]);
      filled_ = coming_ + at_once;
    }
    const std::uint32_t here = at_ / at_once * at_once, next = filled_ > here ? filled_ : here;
    coming_ = next < count_ && next + at_once <= at_ + ring_words ? next : none;
    if (coming_ != none) group_ = *reinterpret_cast<const Group*>(words_ + coming_);
  }

 private:
  static constexpr std::uint32_t at_once = 4, none = 0xffffffffU;
  struct alignas(16) Group {
    std::uint32_t word[at_once];
  };

  SRCEXTRACT_HOST_DEVICE int slot(std::uint32_t word) const { return static_cast<int>(word % ring_words) * stride_; }

  const std::uint32_t* words_;
  std::uint32_t count_, at_ = 0;
  std::uint32_t* ring_;
  int stride_;
  std::uint32_t filled_ = 0;     ///< all unread words before word number `filled_` are in the ring
  std::uint32_t coming_ = none;  ///< index of the first word of the pending request; `none`: nothing was requested
  Group group_{};
};

/// Decodes the integers of one tile compressed with RICE_1, in order, in one GPU thread. The threads of a warp each
/// decode a tile, so nearly all codes are decoded without a branch. The integers and the reported damage equal those of
/// decode_rice() (io/tiles/rice.hpp).
class RiceStream {
 public:
  SRCEXTRACT_HOST_DEVICE RiceStream(const RiceWords& words, std::uint32_t bytes, const RiceCoding& coding)
      : words_(words), bits_there_(8 * bytes), coding_(coding) {
    after_ = words_.next();
    fill();
    last_ = read(coding_.pixel_bits);
  }

  /// The caller must call load_ahead() after every RiceWords::pixels_between integers.
  SRCEXTRACT_HOST_DEVICE void load_ahead() { words_.load_ahead(); }

  /// The caller must call begin_block() before the first integer of every block.
  SRCEXTRACT_HOST_DEVICE void begin_block() {
    const int low_bits = static_cast<int>(read(coding_.number_bits)) - 1;
    too_many_ |= low_bits > coding_.as_they_are;
    coded_ = low_bits >= 0 && low_bits < coding_.as_they_are;
    low_bits_ = coded_ ? low_bits : 0;
    plain_bits_ = low_bits == coding_.as_they_are ? coding_.pixel_bits : 0;
  }

  /// Returns the next integer. Only its lowest coding_.pixel_bits bits are valid.
  SRCEXTRACT_HOST_DEVICE std::uint32_t next() {
    const std::uint32_t high = window();
    const int zeros = leading_zeros(high);
    int length = coded_ ? zeros + 1 + low_bits_ : plain_bits_;
    std::uint32_t code;
    if (length > word_bits) {
      code = long_code();
      length = 0;
    } else if (coded_) {
      // After the shift by `zeros`, the word begins with the 1 bit that ends the run of zeros. This bit adds 1 <<
      // low_bits_ to the code, so zeros - 1 is added instead of zeros.
      code = ((high << zeros) >> (word_bits - 1 - low_bits_)) + (static_cast<std::uint32_t>(zeros - 1) << low_bits_);
    } else {
      code = static_cast<std::uint32_t>(static_cast<std::uint64_t>(high) >> (word_bits - plain_bits_));
    }
    skip(length);
    last_ += (code >> 1) ^ (0U - (code & 1U));
    return last_;
  }

  /// Whether the stream is damaged: a block has an invalid number of low bits, or bits beyond the end were read.
  SRCEXTRACT_HOST_DEVICE bool damaged() const { return too_many_ || beyond(); }

 private:
  static constexpr int word_bits = 32;

  /// The next 32 bits of the stream. Bits after the stream's end may have any value; beyond() tells whether such bits
  /// were consumed.
  SRCEXTRACT_HOST_DEVICE std::uint32_t window() const { return static_cast<std::uint32_t>(bits_ >> word_bits); }

  SRCEXTRACT_HOST_DEVICE bool beyond() const { return bits_taken_ - static_cast<std::uint32_t>(have_) > bits_there_; }

  SRCEXTRACT_HOST_DEVICE void fill() {
    if (have_ > word_bits) return;
    bits_ |= static_cast<std::uint64_t>(after_) << (word_bits - have_);
    have_ += word_bits;
    bits_taken_ += word_bits;
    after_ = words_.next();
  }

  /// Skips `bits` bits, 0 to 32.
  SRCEXTRACT_HOST_DEVICE void skip(int bits) {
    bits_ <<= bits;
    have_ -= bits;
    fill();
  }

  /// Returns the next `bits` bits, 1 to 32, and skips them.
  SRCEXTRACT_HOST_DEVICE std::uint32_t read(int bits) {
    const std::uint32_t value = window() >> (word_bits - bits);
    skip(bits);
    return value;
  }

  /// Reads a code of more than 32 bits. The code begins with zeros, then a 1 bit and low_bits_ low bits follow.
  SRCEXTRACT_HOST_DEVICE std::uint32_t long_code() {
    std::uint32_t zeros = 0;
    while (window() == 0 && !beyond()) {
      zeros += word_bits;
      skip(word_bits);
    }
    if (window() == 0) return 0;  // the stream ended within the zeros
    const int here = leading_zeros(window());
    skip(here + 1);
    const std::uint32_t high = (zeros + static_cast<std::uint32_t>(here)) << low_bits_;
    return low_bits_ > 0 ? high | read(low_bits_) : high;
  }

  RiceWords words_;
  std::uint32_t bits_there_;
  RiceCoding coding_;
  std::uint64_t bits_ = 0;        ///< the next bits of the stream, first bit highest
  int have_ = 0;                  ///< number of valid bits in bits_; at least 32 between calls
  std::uint32_t bits_taken_ = 0;  ///< number of bits moved from words_ to bits_ so far
  std::uint32_t after_ = 0;       ///< the word that follows the bits in bits_
  std::uint32_t last_ = 0;
  int low_bits_ = 0, plain_bits_ = 0;
  bool coded_ = false, too_many_ = false;
};

}  // namespace srcextract
