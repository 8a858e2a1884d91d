#include "stages/ingest/ingest.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace srcextract {
namespace {

constexpr PixelFormat native = {.big_endian = false};

PixelSource lent(const void* memory, Shape shape, const PixelFormat& format = native) {
  return {.shape = shape, .format = format, .read = {}, .memory = static_cast<const std::byte*>(memory)};
}

TEST(Borrow, TakesFloatsWhereTheyAre) {
  constexpr float masked = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> plane = {1, -0.0F, masked, 3.4e38F, 1e-42F, masked};
  for (const int threads : {1, 3}) {
    Pixels<Cpu> pixels;
    ASSERT_TRUE(borrow(lent(plane.data(), {2, 3}), pixels, Cpu{threads}));
    EXPECT_EQ(pixels.image.pixels.data(), plane.data());
    EXPECT_EQ(pixels.image.shape, (Shape{2, 3}));
    EXPECT_EQ(pixels.masked->nan, 2);
    EXPECT_EQ(pixels.masked->total(), 2);
  }
}

TEST(Borrow, LeavesWhatHasToBeDecoded) {
  const std::vector<float> plane = {1, 2, 3, 4};
  Pixels<Cpu> pixels({1, 1}, Cpu{});
  const float* const before = pixels.image.pixels.data();
  const auto takes = [&](const PixelSource& source) { return borrow(source, pixels, Cpu{2}); };
  EXPECT_FALSE(takes(lent(plane.data(), {4, 1}, {.big_endian = true})));
  EXPECT_FALSE(takes(lent(plane.data(), {4, 1}, {.bitpix = 32, .big_endian = false})));
  EXPECT_FALSE(takes(lent(plane.data(), {2, 1}, {.bitpix = -64, .big_endian = false})));
  EXPECT_FALSE(takes(lent(plane.data(), {4, 1}, {.bscale = 2, .big_endian = false})));
  EXPECT_FALSE(takes(lent(plane.data(), {4, 1}, {.bzero = 1, .big_endian = false})));
  EXPECT_FALSE(takes(lent(reinterpret_cast<const std::byte*>(plane.data()) + 2, {3, 1})));
  EXPECT_FALSE(takes(lent(nullptr, {4, 1})));
  EXPECT_EQ(pixels.image.pixels.data(), before);
}

TEST(Borrow, LeavesWhatStagesDoNotKnow) {
  // Infinities; NaN with a sign, signalling, with a payload.
  for (const std::uint32_t bits : {0x7f800000U, 0xff800000U, 0xffc00000U, 0x7f800001U, 0x7fc00001U}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{299'999}}) {
      std::vector<float> plane(300'000, 1);
      std::memcpy(&plane[at], &bits, sizeof(bits));
      Pixels<Cpu> pixels;
      EXPECT_FALSE(borrow(lent(plane.data(), {300, 1000}), pixels, Cpu{2})) << std::hex << bits;
    }
  }
}

}  // namespace
}  // namespace srcextract
