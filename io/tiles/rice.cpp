#include "io/tiles/rice.hpp"

#include <algorithm>
#include <bit>

#include "io/tiles/bit_cursor.hpp"
#include "io/tiles/rice_lanes.hpp"
#include "stages/core/rice_plane.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

/// Computes pixels from codes of differences: adds each difference to the previous pixel. An even code 2n means the
/// difference n, an odd code 2n + 1 the difference -n - 1.
template <class Pixel>
class Differences {
 public:
  Differences(std::uint32_t first, Pixel* out) : last_(first), out_(out) {}

  void add(std::uint32_t code) {
    last_ += (code >> 1) ^ -(code & 1);
    *out_++ = static_cast<Pixel>(last_);
  }
  void repeat(std::int64_t count) { out_ = std::fill_n(out_, count, static_cast<Pixel>(last_)); }

  std::uint32_t last() const { return last_; }

 private:
  std::uint32_t last_;
  Pixel* out_;
};

/// Decodes `count` Rice codes. A code consists of its high bits, written as that many zeros and a one, and its low
/// bits. From one window of the cursor as many codes are decoded as certainly lie in the valid bits; a longer code is
/// read piecemeal.
template <class Pixel>
SRCEXTRACT_VECTOR_CLONES void decode_codes(BitCursor& cursor, std::int64_t count, int low_bits,
                                           Differences<Pixel>& differences) {
  while (count > 0 && cursor.inside()) {
    std::uint64_t bits = cursor.window();
    int used = 0;
    for (; count > 0; --count) {
      const int zeros = std::countl_zero(bits);
      const int length = zeros + 1 + low_bits;
      if (used + length > BitCursor::sure_bits) break;
      // `low` includes the one that ends the zeros and has the value 2^low_bits. Therefore zeros - 1 is added, not
      // zeros.
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

/// Decodes a block of pixels. Returns false if the number of low bits at the start of the block is invalid.
template <class Pixel>
bool decode_block(BitCursor& cursor, std::int64_t count, Differences<Pixel>& differences) {
  constexpr RiceCoding coding = rice_coding(sizeof(Pixel));
  const int low_bits = static_cast<int>(cursor.read(coding.number_bits)) - 1;
  if (low_bits > coding.as_they_are) return false;
  if (low_bits < 0) {
    differences.repeat(count);
  } else if (low_bits == coding.as_they_are) {
    for (std::int64_t i = 0; i < count && cursor.inside(); ++i) differences.add(cursor.read(coding.pixel_bits));
  } else {
    decode_codes(cursor, count, low_bits, differences);
  }
  return true;
}

}  // namespace

bool can_be_rice(std::span<const std::byte> stream, std::int64_t pixels, std::int64_t block) {
  constexpr std::int64_t most_blocks_of_a_byte = 3;
  return (pixels - 1) / block < most_blocks_of_a_byte * std::ssize(stream);
}

template <class Pixel>
bool decode_rice(std::span<const std::byte> stream, std::int64_t block, std::span<Pixel> pixels) {
  BitCursor cursor(stream);
  Differences<Pixel> differences(cursor.read(rice_coding(sizeof(Pixel)).pixel_bits), pixels.data());
  for (std::int64_t done = 0; done < std::ssize(pixels) && cursor.inside(); done += block)
    if (!decode_block(cursor, std::min(block, std::ssize(pixels) - done), differences)) return false;
  return cursor.inside();
}

template bool decode_rice(std::span<const std::byte>, std::int64_t, std::span<std::uint8_t>);
template bool decode_rice(std::span<const std::byte>, std::int64_t, std::span<std::int16_t>);
template bool decode_rice(std::span<const std::byte>, std::int64_t, std::span<std::int32_t>);

#if defined(__x86_64__)
bool has_rice_lanes() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  return has;
}

namespace {

/// Decodes pixels of one lane with `decode`, separately from the other lanes. Returns false if the stream is damaged or
/// ends.
template <class Pixel, class Decode>
bool decode_alone(RiceLanes<Pixel>& lanes, std::size_t lane, std::span<const std::byte> stream, Pixel* out,
                  const Decode& decode) {
  const auto [bit, last] = lanes.place(lane);
  BitCursor cursor(stream, bit);
  Differences<Pixel> differences(last, out);
  const bool whole = decode(cursor, differences);
  lanes.put(lane, {cursor.bit(), differences.last()});
  return whole && cursor.inside();
}

}  // namespace

template <class Pixel>
SRCEXTRACT_RICE_LANES bool decode_rice(const std::array<std::span<const std::byte>, rice_lanes>& streams,
                                       std::int64_t block, std::int64_t count,
                                       const std::array<Pixel*, rice_lanes>& out) {
  constexpr std::int64_t stretch = RiceLanes<Pixel>::stretch;
  RiceLanes<Pixel> lanes(streams);
  bool inside = true;
  const auto codes_alone = [&](std::size_t lane, int codes, Pixel* pixels) {
    inside &= decode_alone(lanes, lane, streams[lane], pixels, [&](BitCursor& cursor, Differences<Pixel>& differences) {
      decode_codes(cursor, codes, lanes.low_bits(lane), differences);
      return true;
    });
  };
  for (std::int64_t done = 0; done < count && inside; done += block) {
    const std::int64_t of_block = std::min(block, count - done);
    if (lanes.begin_block()) {
      for (std::int64_t first = 0; first < of_block; first += stretch) {
        std::array<Pixel*, rice_lanes> here;
        std::ranges::transform(out, here.begin(), [&](Pixel* pixels) { return pixels + done + first; });
        lanes.decode(static_cast<int>(std::min(stretch, of_block - first)), here, codes_alone);
      }
      continue;
    }
    for (std::size_t lane = 0; lane < rice_lanes; ++lane)
      inside &= decode_alone(lanes, lane, streams[lane], out[lane] + done,
                             [&](BitCursor& cursor, Differences<Pixel>& differences) {
                               return decode_block(cursor, of_block, differences);
                             });
  }
  return inside;
}
#else
bool has_rice_lanes() {
  return false;
}

template <class Pixel>
bool decode_rice(const std::array<std::span<const std::byte>, rice_lanes>&, std::int64_t, std::int64_t,
                 const std::array<Pixel*, rice_lanes>&) {
  return false;
}
#endif

using RiceStreams = std::array<std::span<const std::byte>, rice_lanes>;
template bool decode_rice(const RiceStreams&, std::int64_t, std::int64_t, const std::array<std::uint8_t*, rice_lanes>&);
template bool decode_rice(const RiceStreams&, std::int64_t, std::int64_t, const std::array<std::int16_t*, rice_lanes>&);
template bool decode_rice(const RiceStreams&, std::int64_t, std::int64_t, const std::array<std::int32_t*, rice_lanes>&);

}  // namespace srcextract
