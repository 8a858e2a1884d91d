#include "io/tile_streams.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace srcextract::testing {
namespace {

std::vector<std::byte> stream(std::initializer_list<int> bytes, std::size_t zeros = 0) {
  std::vector<std::byte> out;
  for (int byte : bytes) out.push_back(static_cast<std::byte>(byte));
  out.resize(out.size() + zeros);
  return out;
}

// Streams written out by hand for pixels of 2 bytes: the first pixel, then blocks of 32 that begin with 4 bits.
constexpr RiceParameters shorts{.block = 32, .pixel_bytes = 2};

TEST(TileStreams, RiceBlocksOfEqualPixels) {
  EXPECT_TRUE(is_rice_tile(stream({0, 5, 0x00}), 64, shorts));
  EXPECT_FALSE(is_rice_tile(stream({0, 5, 0x00}), 65, shorts));
  EXPECT_FALSE(is_rice_tile(stream({0, 5}), 1, shorts));
  EXPECT_FALSE(is_rice_tile(stream({0}), 1, shorts));
  EXPECT_FALSE(is_rice_tile({}, 1, shorts));
}

TEST(TileStreams, RiceDifferencesWithoutLowBits) {
  EXPECT_TRUE(is_rice_tile(stream({0, 5, 0b0001'1111}), 4, shorts));
  EXPECT_FALSE(is_rice_tile(stream({0, 5, 0b0001'1111}), 5, shorts));
  EXPECT_FALSE(is_rice_tile(stream({0, 5, 0b0001'1110}), 4, shorts));
}

TEST(TileStreams, RiceDifferencesWithLowBits) {
  // 3 low bits, then 01 101 and 1 111.
  EXPECT_TRUE(is_rice_tile(stream({0, 5, 0b0100'0110, 0b1111'1000}), 2, shorts));
  EXPECT_FALSE(is_rice_tile(stream({0, 5, 0b0100'0110, 0b1111'1000}), 4, shorts));
}

TEST(TileStreams, RiceEndlessZerosAreRefused) {
  EXPECT_FALSE(is_rice_tile(stream({0, 5, 0b0001'0000}, 5000), 1, shorts));
}

TEST(TileStreams, RicePixelsAsTheyAre) {
  EXPECT_TRUE(is_rice_tile(stream({0, 5, 0xf0}, 4), 2, shorts));
  EXPECT_FALSE(is_rice_tile(stream({0, 5, 0xf0}, 3), 2, shorts));
  EXPECT_TRUE(is_rice_tile(stream({0, 0, 0, 5, 0b1101'0000}, 8), 2, {.block = 32, .pixel_bytes = 4}));
  EXPECT_FALSE(is_rice_tile(stream({0, 0, 0, 5, 0b1101'0000}, 7), 2, {.block = 32, .pixel_bytes = 4}));
  EXPECT_TRUE(is_rice_tile(stream({5, 0b1110'0000}, 2), 2, {.block = 32, .pixel_bytes = 1}));
  EXPECT_FALSE(is_rice_tile(stream({5, 0b1110'0000}, 1), 2, {.block = 32, .pixel_bytes = 1}));
}

TEST(TileStreams, HcompressMustHaveThePixelsOfTheTile) {
  const auto tile = [](int nx, int ny) { return stream({0xdd, 0x99, 0, 0, 0, nx, 0, 0, 0, ny}, 15); };
  EXPECT_TRUE(is_hcompress_tile(tile(4, 5), 20));
  EXPECT_FALSE(is_hcompress_tile(tile(4, 5), 19));
  EXPECT_FALSE(is_hcompress_tile(tile(0, 5), 0));
  EXPECT_FALSE(is_hcompress_tile(stream({0xdd, 0x99}), 20));
}

TEST(TileStreams, PlioListMustLieInTheTile) {
  const auto list = [](int low, int high) { return stream({0, 0, 0, 7, 0xff, 0x9c, 0, low, 0, high}, 10); };
  EXPECT_TRUE(is_plio_tile(list(10, 0)));
  EXPECT_FALSE(is_plio_tile(list(11, 0)));
  EXPECT_FALSE(is_plio_tile(list(10, 1)));
  EXPECT_FALSE(is_plio_tile(stream({0, 0, 0, 7})));
}

}  // namespace
}  // namespace srcextract::testing
