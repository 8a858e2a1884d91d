#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "io/tiles/bit_cursor.hpp"
#include "io/tiles/rice.hpp"
#include "stages/core/intrinsics.hpp"
#include "stages/core/rice_plane.hpp"

#if defined(__x86_64__)
namespace srcextract {

/// Attribute of functions that use these AVX-512 instructions.
#define SRCEXTRACT_RICE_LANES __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))

/// Decodes the RICE_1 streams of several tiles at once, one in each 64-bit lane of an AVX-512 register.
template <class Pixel>
class RiceLanes {
 public:
  using Streams = std::array<std::span<const std::byte>, rice_lanes>;
  static constexpr RiceCoding coding = rice_coding(sizeof(Pixel));
  static constexpr int stretch = 32;  ///< largest number of pixels of one decode()

  /// Position in a stream: offset of the next bit to decode, and the last decoded pixel.
  struct Place {
    std::int64_t bit;
    std::uint32_t last;
  };

  SRCEXTRACT_RICE_LANES explicit RiceLanes(const Streams& streams) {
    Numbers begin, pairs_end;
    for (std::size_t lane = 0; lane < rice_lanes; ++lane) {
      begin[lane] = std::bit_cast<std::int64_t>(streams[lane].data());
      pairs_end[lane] = 8 * (std::ssize(streams[lane]) - 2 * window_bytes);
      BitCursor cursor(streams[lane]);
      last_[lane] = cursor.read(coding.pixel_bits);
      bit_[lane] = cursor.bit();
    }
    begin_ = load(begin);
    pairs_end_ = load(pairs_end);
  }

  Place place(std::size_t lane) const { return {bit_[lane], static_cast<std::uint32_t>(last_[lane])}; }
  void put(std::size_t lane, const Place& place) {
    bit_[lane] = place.bit;
    last_[lane] = place.last;
  }
  int low_bits(std::size_t lane) const { return static_cast<int>(low_bits_[lane]); }

  /// Reads the number of low bits at the start of the next block in every lane. Returns false, without reading, if the
  /// block of any lane has no Rice codes: its pixels are equal, or uncompressed, or the number is invalid, or fewer
  /// than 16 bytes of the stream are left.
  SRCEXTRACT_RICE_LANES bool begin_block() {
    const __m512i bit = load(bit_), number = _mm512_set1_epi64(coding.number_bits), one = _mm512_set1_epi64(1);
    const __m512i low_bits = _mm512_sub_epi64(_mm512_srli_epi64(window(bit), 64 - coding.number_bits), one);
    if (_mm512_cmplt_epu64_mask(low_bits, _mm512_set1_epi64(coding.as_they_are)) != all) return false;
    store(low_bits_, low_bits);
    store(bit_, _mm512_add_epi64(bit, number));
    at_once_ = BitCursor::sure_bits / (static_cast<int>(_mm512_reduce_max_epi64(low_bits)) + usual_high_bits);
    return true;
  }

  /// Decodes the next `count` codes of a block in every lane. Lanes with codes too long for the fast way, or near the
  /// end of the stream, are decoded by `alone(lane, count, out)`.
  template <class Alone>
  SRCEXTRACT_RICE_LANES void decode(int count, const std::array<Pixel*, rice_lanes>& out, const Alone& alone) {
    const __m512i low_bits = load(low_bits_), one = _mm512_set1_epi64(1),
                  sure = _mm512_set1_epi64(BitCursor::sure_bits);
    const __m512i to_low = _mm512_sub_epi64(_mm512_set1_epi64(63), low_bits), and_one = _mm512_add_epi64(low_bits, one);
    __m512i bit = load(bit_), last = load(last_), now = window(bit);
    Row pixels[stretch];
    for (int done = 0, at_once = 0; done < count; done += at_once) {
      at_once = std::min(at_once_, count - done);
      // Loads the next window of bits now, so that the load overlaps with the decoding of the current window.
      const Mask fit = _mm512_cmple_epi64_mask(bit, pairs_end_);
      const __m512i next = bytes(bit, fit, window_bytes);
      __m512i bits = now, used = _mm512_setzero_si512(), pixel = last;
      for (int i = 0; i < at_once; ++i) {
        const __m512i zeros = _mm512_lzcnt_epi64(bits), length = _mm512_add_epi64(zeros, and_one);
        // `low` includes the one that ends the zeros and has the value 2^low_bits. Therefore zeros - 1 is used, not
        // zeros.
        const __m512i low = _mm512_srlv_epi64(_mm512_sllv_epi64(bits, zeros), to_low);
        const __m512i code = _mm512_add_epi64(low, _mm512_sllv_epi64(_mm512_sub_epi64(zeros, one), low_bits));
        const __m512i odd = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(code, one));
        pixel = _mm512_add_epi64(pixel, _mm512_xor_si512(_mm512_srli_epi64(code, 1), odd));
        pixels[done + i] = row_of(pixel);
        bits = _mm512_sllv_epi64(bits, length);
        used = _mm512_add_epi64(used, length);
      }
      const Mask decoded = fit & _mm512_cmple_epi64_mask(used, sure);
      const __m512i of_next =
          _mm512_srlv_epi64(_mm512_sllv_epi64(next, within_byte(bit)), _mm512_sub_epi64(_mm512_set1_epi64(64), used));
      now = _mm512_or_si512(_mm512_sllv_epi64(now, used), of_next);
      bit = _mm512_mask_add_epi64(bit, decoded, bit, used);
      last = _mm512_mask_mov_epi64(last, decoded, pixel);
      if (decoded == all) continue;
      store(bit_, bit);
      store(last_, last);
      for (unsigned int left = static_cast<Mask>(~decoded); left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        Pixel here[stretch]{};  // initialised, since `alone` leaves pixels unset if the stream ends
        alone(lane, at_once, here);
        for (int i = 0; i < at_once; ++i) pixels[done + i][lane] = here[i];
      }
      bit = load(bit_);
      last = load(last_);
      now = window(bit);
    }
    store(bit_, bit);
    store(last_, last);
    for (int done = 0; done < count; done += rice_lanes) {
      if (done + rice_lanes <= count) transpose(pixels + done);
      for (std::size_t lane = 0; lane < rice_lanes; ++lane) {
        if (done + rice_lanes <= count)
          std::memcpy(out[lane] + done, &pixels[done + static_cast<int>(lane)], sizeof(Row));
        else
          for (int i = done; i < count; ++i) out[lane][i] = pixels[i][lane];
      }
    }
  }

 private:
  using Numbers = std::array<std::int64_t, rice_lanes>;
  using Mask = __mmask8;
  typedef Pixel Row __attribute__((vector_size(rice_lanes * sizeof(Pixel))));  // one pixel in each lane
  static constexpr Mask all = 0xff;
  static constexpr std::int64_t window_bytes = 8;
  /// Number of high bits of a code, including the one that ends them, for which the fast way has room. Compressors
  /// choose the number of low bits so that few codes have more high bits.
  static constexpr int usual_high_bits = 4;

  SRCEXTRACT_RICE_LANES static __m512i load(const Numbers& numbers) { return _mm512_loadu_si512(numbers.data()); }
  SRCEXTRACT_RICE_LANES static void store(Numbers& numbers, __m512i values) {
    _mm512_storeu_si512(numbers.data(), values);
  }
  SRCEXTRACT_RICE_LANES static __m512i within_byte(__m512i bit) { return _mm512_and_si512(bit, _mm512_set1_epi64(7)); }

  /// Loads eight bytes of the stream for each lane in `lanes`, most significant first, and zeros for the other lanes.
  /// The bytes begin `ahead` bytes after the byte that holds `bit`.
  SRCEXTRACT_RICE_LANES __m512i bytes(__m512i bit, Mask lanes, std::int64_t ahead) const {
    const __m512i reversed = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    const __m512i from =
        _mm512_add_epi64(_mm512_add_epi64(begin_, _mm512_set1_epi64(ahead)), _mm512_srli_epi64(bit, 3));
    const __m512i found = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, from, nullptr, 1);
    return _mm512_shuffle_epi8(found, reversed);
  }

  /// Returns the 64 bits from `bit` on in every lane; zeros in a lane where fewer than two windows (16 bytes) are left.
  SRCEXTRACT_RICE_LANES __m512i window(__m512i bit) const {
    const Mask inside = _mm512_cmple_epi64_mask(bit, pairs_end_);
    const __m512i begun = within_byte(bit);
    const __m512i behind =
        _mm512_srlv_epi64(bytes(bit, inside, window_bytes), _mm512_sub_epi64(_mm512_set1_epi64(64), begun));
    return _mm512_or_si512(_mm512_sllv_epi64(bytes(bit, inside, 0), begun), behind);
  }

  SRCEXTRACT_RICE_LANES static Row row_of(__m512i values) {
    Row row;
    const auto keep = [&](const auto& narrow) { std::memcpy(&row, &narrow, sizeof(row)); };
    if constexpr (sizeof(Pixel) == 1)
      keep(_mm512_cvtepi64_epi8(values));
    else if constexpr (sizeof(Pixel) == 2)
      keep(_mm512_cvtepi64_epi16(values));
    else
      keep(_mm512_cvtepi64_epi32(values));
    return row;
  }

  /// Transposes eight rows of pixels, so that each row holds the pixels of one lane.
  SRCEXTRACT_RICE_LANES static void transpose(Row* rows) {
    for (int round = 0; round < 3; ++round) {
      Row mixed[rice_lanes];
      for (int i = 0; i < rice_lanes / 2; ++i) {
        const Row a = rows[i], b = rows[i + rice_lanes / 2];
        mixed[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        mixed[2 * i + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
      }
      std::copy_n(mixed, rice_lanes, rows);
    }
  }

  __m512i begin_, pairs_end_;  ///< address of each stream, and the last bit from which 16 bytes can be loaded
  Numbers bit_, last_, low_bits_{};
  int at_once_ = 0;
};

}  // namespace srcextract
#endif
