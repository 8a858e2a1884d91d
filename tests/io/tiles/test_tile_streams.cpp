#include "io/tiles/tile_streams.hpp"

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
