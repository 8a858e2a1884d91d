#include "io/tiles/rice.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tests/io/support/cfitsio_rice.hpp"

namespace srcextract::testing {
namespace {

using Bytes = std::vector<std::byte>;

Bytes stream(std::initializer_list<int> bytes, std::size_t zeros = 0) {
  Bytes out;
  for (int byte : bytes) out.push_back(static_cast<std::byte>(byte));
  out.resize(out.size() + zeros);
  return out;
}

/// The pixels, or nothing where the stream is damaged.
template <class Pixel>
std::optional<std::vector<int>> decode(const Bytes& bytes, std::size_t count, std::int64_t block = 32) {
  std::vector<Pixel> pixels(count);
  if (!decode_rice(bytes, block, std::span(pixels))) return std::nullopt;
  return std::vector<int>(pixels.begin(), pixels.end());
}

using Pixels = std::vector<int>;
constexpr auto damaged = std::nullopt;

// Streams written out by hand for pixels of 2 bytes: the first pixel, then blocks of 32 that begin with 4 bits.

TEST(Rice, BlocksOfEqualPixels) {
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0x00}), 64), Pixels(64, 5));
  EXPECT_EQ(decode<std::int16_t>(stream({0xff, 0xfe, 0x00}), 2), Pixels(2, -2));
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0x00}), 65), damaged);
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5}), 1), damaged);
  EXPECT_EQ(decode<std::int16_t>(stream({0}), 1), damaged);
  EXPECT_EQ(decode<std::int16_t>({}, 1), damaged);
}

// The codes 0, 1, 2, 3, ... are the differences 0, -1, 1, -2, ...
TEST(Rice, DifferencesWithoutLowBits) {
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0b0001'1010, 0b0100'0100}), 4), (Pixels{5, 4, 5, 3}));
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0b0001'1111}), 4), Pixels(4, 5));
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0b0001'1111}), 5), damaged);
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0b0001'1110}), 4), damaged);
}

TEST(Rice, DifferencesWithLowBits) {
  // 3 low bits, then 01 101 and 1 111: the codes 13 and 7.
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0b0100'0110, 0b1111'1000}), 2), (Pixels{-2, -6}));
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0b0100'0110, 0b1111'1000}), 4), damaged);
}

TEST(Rice, ManyZeros) {
  // 80 of them: the code 80 is the difference 40.
  Bytes bytes = stream({0, 5, 0b0001'0000}, 9);
  bytes.push_back(std::byte{0b0000'1000});
  EXPECT_EQ(decode<std::int16_t>(bytes, 1), Pixels{45});
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0b0001'0000}, 5000), 1), damaged);
}

TEST(Rice, PixelsAsTheyAre) {
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0xf0, 0x00, 0x30, 0x00, 0x20}), 2), (Pixels{3, 4}));
  EXPECT_EQ(decode<std::int16_t>(stream({0, 5, 0xf0}, 3), 2), damaged);
  EXPECT_EQ(decode<std::int32_t>(stream({0, 0, 0, 5, 0b1101'0000}, 8), 2), Pixels(2, 5));
  EXPECT_EQ(decode<std::int32_t>(stream({0, 0, 0, 5, 0b1101'0000}, 7), 2), damaged);
  EXPECT_EQ(decode<std::uint8_t>(stream({5, 0b1110'0000}, 2), 2), Pixels(2, 5));
  EXPECT_EQ(decode<std::uint8_t>(stream({5, 0b1110'0000}, 1), 2), damaged);
}

TEST(Rice, MoreLowBitsThanAreCoded) {
  EXPECT_EQ(decode<std::int32_t>(stream({0, 0, 0, 5, 0b1101'1111}, 100), 2), damaged);
}

TEST(Rice, LengthThatCannotDo) {
  EXPECT_TRUE(can_be_rice(stream({0, 5, 0x00}), 64, 32));
  EXPECT_TRUE(can_be_rice(stream({5, 0x00}), 64, 32));
  EXPECT_FALSE(can_be_rice(stream({0, 5, 0x00}), std::int64_t{1} << 30, 32));
}

/// What CFITSIO calls its functions for a type of pixels.
template <class Pixel>
struct Peer;
template <>
struct Peer<std::uint8_t> {
  using Coded = signed char;
  static constexpr auto code = fits_rcomp_byte;
  static constexpr auto decode = fits_rdecomp_byte;
};
template <>
struct Peer<std::int16_t> {
  using Coded = short;
  static constexpr auto code = fits_rcomp_short;
  static constexpr auto decode = fits_rdecomp_short;
};
template <>
struct Peer<std::int32_t> {
  using Coded = int;
  static constexpr auto code = fits_rcomp;
  static constexpr auto decode = fits_rdecomp;
};

template <class Pixel>
class RiceOfType : public ::testing::Test {
 protected:
  using Unsigned = std::make_unsigned_t<Pixel>;

  /// Each in steps that take some number of low bits, at times the same one for long.
  std::vector<Pixel> wandering_pixels(std::size_t count) {
    std::vector<Pixel> pixels(count);
    Unsigned last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 97 == 0) bits_ = random_() % (8 * sizeof(Pixel) + 1);
      const std::uint64_t step = random_() & ((std::uint64_t{1} << bits_) - 1);
      last = static_cast<Unsigned>(random_() % 2 == 0 ? last + step : last - step);
      pixels[i] = static_cast<Pixel>(last);
    }
    return pixels;
  }

  static Bytes code(std::vector<Pixel> pixels, int block) {
    Bytes bytes(pixels.size() * (sizeof(Pixel) + 1) + 100);
    const int length = Peer<Pixel>::code(
        reinterpret_cast<typename Peer<Pixel>::Coded*>(pixels.data()), static_cast<int>(pixels.size()),
        reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), block);
    EXPECT_GT(length, 0);
    bytes.resize(static_cast<std::size_t>(length));
    return bytes;
  }

  /// CFITSIO reads on beyond the end until it finds a one.
  static std::optional<std::vector<Pixel>> peer_decode(Bytes bytes, std::size_t count, int block) {
    std::vector<Pixel> pixels(count);
    const int length = static_cast<int>(bytes.size());
    bytes.resize(bytes.size() + 8 * 64, std::byte{0xff});
    const int failed = Peer<Pixel>::decode(reinterpret_cast<unsigned char*>(bytes.data()), length,
                                           reinterpret_cast<Unsigned*>(pixels.data()), static_cast<int>(count), block);
    if (failed) return std::nullopt;
    return pixels;
  }

  std::mt19937 random_{17};

 private:
  unsigned bits_ = 0;
};

using PixelTypes = ::testing::Types<std::uint8_t, std::int16_t, std::int32_t>;
TYPED_TEST_SUITE(RiceOfType, PixelTypes);

TYPED_TEST(RiceOfType, WhatCfitsioCodes) {
  for (int block : {16, 32, 33, 64}) {
    for (std::size_t count : {1, 2, 15, 16, 17, 31, 32, 33, 1000, 20011}) {
      const std::vector<TypeParam> pixels = this->wandering_pixels(count);
      std::vector<TypeParam> decoded(count);
      const Bytes bytes = this->code(pixels, block);
      EXPECT_TRUE(can_be_rice(bytes, static_cast<std::int64_t>(count), block));
      EXPECT_TRUE(decode_rice(bytes, block, std::span(decoded))) << block << " " << count;
      EXPECT_EQ(decoded, pixels) << block << " " << count;
    }
  }
}

// Cut short, with bits that were changed, or of noise: the verdict is CFITSIO's, and so are the pixels.
TYPED_TEST(RiceOfType, DamagedStreams) {
  constexpr std::size_t count = 500;
  const Bytes good = this->code(this->wandering_pixels(count), 32);
  int refused = 0, read = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    Bytes bytes = good;
    if (trial % 3 == 0) bytes.resize(this->random_() % bytes.size() + sizeof(TypeParam));
    if (trial % 3 == 1) bytes[this->random_() % bytes.size()] ^= static_cast<std::byte>(1 << this->random_() % 8);
    if (trial % 3 == 2) {
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(this->random_());
    }
    std::vector<TypeParam> decoded(count);
    const bool ours = decode_rice(bytes, 32, std::span(decoded));
    const auto peers = this->peer_decode(bytes, count, 32);
    (ours ? read : refused)++;
    if (ours) {
      ASSERT_TRUE(peers) << trial;
      ASSERT_EQ(decoded, *peers) << trial;
    } else if (sizeof(TypeParam) < 4) {  // with more low bits than are ever coded, CFITSIO reads something
      ASSERT_FALSE(peers) << trial;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

/// A stream behind which no byte may be read: a page follows that the process has not.
class AtTheEdge {
 public:
  explicit AtTheEdge(const Bytes& bytes)
      : size_((bytes.size() / page + 1) * page),
        memory_(static_cast<std::byte*>(
            mmap(nullptr, size_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
        stream_(memory_ + size_ - bytes.size(), bytes.size()) {
    std::ranges::copy(bytes, memory_ + size_ - bytes.size());
    EXPECT_EQ(mprotect(memory_ + size_, page, PROT_NONE), 0);
  }
  ~AtTheEdge() { munmap(memory_, size_ + page); }
  AtTheEdge(const AtTheEdge&) = delete;
  AtTheEdge& operator=(const AtTheEdge&) = delete;

  std::span<const std::byte> stream() const { return stream_; }

 private:
  static constexpr std::size_t page = 65536;
  std::size_t size_;
  std::byte* memory_;
  std::span<const std::byte> stream_;
};

/// Their pixels, one stream after the other, or nothing where one is damaged.
template <class Pixel>
std::optional<std::vector<std::vector<Pixel>>> decode_side_by_side(const std::vector<Bytes>& streams, std::size_t count,
                                                                   int block) {
  std::deque<AtTheEdge> at_the_edge;
  std::vector<std::vector<Pixel>> pixels(rice_lanes, std::vector<Pixel>(count));
  std::array<std::span<const std::byte>, rice_lanes> lanes;
  std::array<Pixel*, rice_lanes> out{};
  for (std::size_t lane = 0; lane < rice_lanes; ++lane) {
    lanes[lane] = at_the_edge.emplace_back(streams[lane]).stream();
    out[lane] = pixels[lane].data();
  }
  if (!decode_rice(lanes, block, static_cast<std::int64_t>(count), out)) return std::nullopt;
  return pixels;
}

TYPED_TEST(RiceOfType, SideBySideWhatCfitsioCodes) {
  if (!has_rice_lanes()) GTEST_SKIP() << "this processor has no AVX-512";
  for (int block : {16, 32, 33, 64}) {
    for (std::size_t count : {1, 2, 17, 32, 33, 1000, 20011}) {
      std::vector<std::vector<TypeParam>> pixels;
      std::vector<Bytes> streams;
      for (int lane = 0; lane < rice_lanes; ++lane) {
        pixels.push_back(this->wandering_pixels(count));
        streams.push_back(this->code(pixels.back(), block));
      }
      EXPECT_EQ(decode_side_by_side<TypeParam>(streams, count, block), pixels) << block << " " << count;
    }
  }
}

// Noise about a level, as of a detector, with a star here and there: nearly all codes are of usual lengths.
TYPED_TEST(RiceOfType, SideBySideNoise) {
  if (!has_rice_lanes()) GTEST_SKIP() << "this processor has no AVX-512";
  constexpr std::size_t count = 4096;
  for (double sigma : {0.3, 2.0, 9.0}) {
    std::vector<std::vector<TypeParam>> pixels;
    std::vector<Bytes> streams;
    std::normal_distribution<double> noise(60, sigma);
    for (int lane = 0; lane < rice_lanes; ++lane) {
      pixels.emplace_back();
      while (pixels.back().size() < count)
        pixels.back().push_back(static_cast<TypeParam>(noise(this->random_) + (this->random_() % 300 == 0 ? 50 : 0)));
      streams.push_back(this->code(pixels.back(), 32));
    }
    EXPECT_EQ(decode_side_by_side<TypeParam>(streams, count, 32), pixels) << sigma;
  }
}

TYPED_TEST(RiceOfType, SideBySideOneOfThemDamaged) {
  if (!has_rice_lanes()) GTEST_SKIP() << "this processor has no AVX-512";
  constexpr std::size_t count = 500;
  std::vector<Bytes> good;
  for (int lane = 0; lane < rice_lanes; ++lane) good.push_back(this->code(this->wandering_pixels(count), 32));
  int refused = 0, read = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Bytes> streams = good;
    Bytes& bytes = streams[this->random_() % rice_lanes];
    if (trial % 3 == 0) bytes.resize(this->random_() % bytes.size());
    if (trial % 3 == 1) bytes[this->random_() % bytes.size()] ^= static_cast<std::byte>(1 << this->random_() % 8);
    if (trial % 3 == 2)
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(this->random_());
    std::optional<std::vector<std::vector<TypeParam>>> one_by_one(std::in_place);
    for (const Bytes& stream : streams) {
      std::vector<TypeParam> decoded(count);
      if (one_by_one && decode_rice(stream, 32, std::span(decoded)))
        one_by_one->push_back(decoded);
      else
        one_by_one.reset();
    }
    (one_by_one ? read : refused)++;
    ASSERT_EQ(decode_side_by_side<TypeParam>(streams, count, 32), one_by_one) << trial;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace srcextract::testing
