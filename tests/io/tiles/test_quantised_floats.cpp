#include "io/tiles/quantised_floats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace srcextract::testing {
namespace {

template <class Float>
std::vector<Float> restore(const std::vector<std::int32_t>& integers, const Quantisation& how) {
  std::vector<Float> floats(integers.size());
  restore_floats<std::int32_t>(integers, how, floats.data());
  return floats;
}

TEST(QuantisedFloats, WithoutDither) {
  const std::vector<float> floats = restore<float>({0, 1, -3, 99}, {.scale = 0.5, .zero = 10, .blank = 99});
  EXPECT_EQ(floats[0], 10.f);
  EXPECT_EQ(floats[1], 10.5f);
  EXPECT_EQ(floats[2], 8.5f);
  EXPECT_TRUE(std::isnan(floats[3]));
}

TEST(QuantisedFloats, NarrowIntegers) {
  const std::vector<std::int32_t> wide{0, 1, 100, 255, 77};
  const std::vector<std::int16_t> shorts(wide.begin(), wide.end());
  const std::vector<std::uint8_t> bytes(wide.begin(), wide.end());
  for (const Dither dither : {Dither::none, Dither::subtractive_1, Dither::subtractive_2}) {
    const Quantisation how{.scale = 0.3, .zero = 7, .dither = dither, .random_begin = 4711};
    std::vector<float> floats(wide.size());
    restore_floats<std::int16_t>(shorts, how, floats.data());
    EXPECT_EQ(floats, restore<float>(wide, how));
    restore_floats<std::uint8_t>(bytes, how, floats.data());
    EXPECT_EQ(floats, restore<float>(wide, how));
  }
}

// The first random numbers of FITS Standard 4.0, Appendix I, are 16807 / m, 282475249 / m and 1622650073 / m with
// m = 2^31 - 1; the last is 1043618065 / m.
TEST(QuantisedFloats, DitherIsSubtracted) {
  const std::vector<double> floats =
      restore<double>({0, 5, 7}, {.scale = 2, .zero = 1, .dither = Dither::subtractive_1});
  EXPECT_NEAR(floats[0], 1 + 2 * (0 - 16807 / 2147483647. + 0.5), 1e-6);
  EXPECT_NEAR(floats[1], 1 + 2 * (5 - 282475249 / 2147483647. + 0.5), 1e-6);
  EXPECT_NEAR(floats[2], 1 + 2 * (7 - 1622650073 / 2147483647. + 0.5), 1e-6);
}

// A tile longer than the random numbers goes on where the second of them says: int(500 * 0.1315...) = 65.
TEST(QuantisedFloats, LastRandomNumberAndWhereItGoesOn) {
  const Quantisation how{.dither = Dither::subtractive_1};
  const std::vector<double> floats = restore<double>(std::vector<std::int32_t>(10100), how);
  EXPECT_NEAR(floats[9999], 0.5 - 1043618065 / 2147483647., 1e-7);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(floats[10000 + i], floats[65 + i]) << i;
}

// Tile 9999 begins at int(500 * 0.4859...) = 242, and what comes after is tile 0's.
TEST(QuantisedFloats, TilesTakeTurns) {
  const std::vector<std::int32_t> zeros(10100);
  const std::vector<double> first = restore<double>(zeros, {.dither = Dither::subtractive_1});
  const std::vector<double> last = restore<double>(zeros, {.dither = Dither::subtractive_1, .random_begin = 9999});
  const std::vector<double> next = restore<double>(zeros, {.dither = Dither::subtractive_1, .random_begin = 10000});
  EXPECT_EQ(next, first);
  EXPECT_EQ(last[0], first[242]);
  EXPECT_EQ(last[10000 - 242], first[0]);
}

TEST(QuantisedFloats, ExactZerosOfTheSecondDither) {
  const std::vector<std::int32_t> integers{-2147483646, 4, -2147483647};
  const Quantisation how{.scale = 1, .zero = 5, .blank = -2147483647, .dither = Dither::subtractive_2};
  const std::vector<float> floats = restore<float>(integers, how);
  EXPECT_EQ(floats[0], 0.f);
  EXPECT_NEAR(floats[1], 9.5 - 282475249 / 2147483647., 1e-6);
  EXPECT_TRUE(std::isnan(floats[2]));
  EXPECT_NE(restore<float>(integers, {.dither = Dither::subtractive_1})[0], 0.f);
}

}  // namespace
}  // namespace srcextract::testing
