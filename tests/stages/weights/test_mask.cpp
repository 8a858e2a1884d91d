#include "stages/weights/mask.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "stages/weights/mask_source.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::nan;
using testing::StageTest;

template <class Where>
class MaskStage : public StageTest<Where> {};
TYPED_TEST_SUITE(MaskStage, Backends);

TYPED_TEST(MaskStage, MasksAndCountsWhatWasNotMaskedBefore) {
  Pixels<TypeParam> pixels;
  pixels.image = this->image({5, 1}, std::vector<float>{1, 2, nan, nan, 5});
  pixels.masked = this->backend().put_value(MaskCounts{.nan = 2});
  apply_mask(this->image({5, 1}, std::vector<float>{0, nan, nan, 0, nan}), pixels, this->where());
  const auto found = this->backend().get(pixels.image.pixels);
  EXPECT_EQ(found[0], 1);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_TRUE(std::isnan(found[i])) << i;
  const MaskCounts counts = fetch(pixels.masked, this->where());
  EXPECT_EQ(counts.mask, 2);
  EXPECT_EQ(counts.total(), 4);
}

/// A map of one row in the byte order of this machine.
template <class T>
PixelSource map_of(std::vector<T> values, int bitpix, double bzero = 0, std::optional<std::int64_t> blank = {}) {
  PixelSource source;
  source.shape = {static_cast<std::int64_t>(values.size()), 1};
  source.format = {.bitpix = bitpix, .bzero = bzero, .blank = blank, .big_endian = false};
  source.read = [values](std::int64_t first, std::int64_t count, std::byte* out) {
    std::memcpy(out, values.data() + first, static_cast<std::size_t>(count) * sizeof(T));
  };
  return source;
}

/// 1 where a map is bad.
std::string judged(const PixelSource& map, const BadPixels& bad = {}) {
  const Pixels<Cpu> pixels = ingest(mask_source(map, bad), Cpu{2});
  std::string text;
  for (const float pixel : pixels.image.pixels) text += std::isnan(pixel) ? '1' : '0';
  return text;
}

TEST(MaskSource, AnyBitIsBadUnlessSomeAreWanted) {
  const auto map = map_of<std::int32_t>({0, 1, 2, 3, 4, 1 << 30, std::numeric_limits<std::int32_t>::min()}, 32);
  EXPECT_EQ(judged(map), "0111111");
  EXPECT_EQ(judged(map, {.bits = 2}), "0011000");
  EXPECT_EQ(judged(map, {.bits = 5}), "0101100");
  EXPECT_EQ(judged(map, {.bits = std::uint64_t{1} << 30}), "0000010");
  EXPECT_EQ(judged(map, {.bits = std::uint64_t{1} << 31}), "0000001");
}

TEST(MaskSource, EveryBitOfLargeIntegersCounts) {
  // float32 would round the first to one without its last bit.
  const auto map = map_of<std::int64_t>({(std::int64_t{1} << 40) + 1, std::int64_t{1} << 40}, 64);
  EXPECT_EQ(judged(map, {.bits = 1}), "10");
}

TEST(MaskSource, GoodCanBeNonzero) {
  const auto map = map_of<std::uint8_t>({0, 1, 2, 255}, 8);
  EXPECT_EQ(judged(map, {.good = GoodPixels::nonzero}), "1000");
  EXPECT_EQ(judged(map, {.bits = 1, .good = GoodPixels::nonzero}), "1010");
}

TEST(MaskSource, UnsignedIntegersAreWhatTheyMean) {
  // 0, 1 and 32768 as FITS stores unsigned integers of 16 bits.
  const auto map = map_of<std::int16_t>({-32768, -32767, 0}, 16, 32768);
  EXPECT_EQ(judged(map), "011");
  EXPECT_EQ(judged(map, {.bits = 1 << 15}), "001");
}

TEST(MaskSource, WhatIsBlankIsBad) {
  EXPECT_EQ(judged(map_of<std::int16_t>({0, 7, -1}, 16, 0, 0), {.bits = 8}), "101");
}

TEST(MaskSource, RealNumbersAreZeroOrNot) {
  EXPECT_EQ(judged(map_of<float>({0, -0.0F, 0.5F, nan, 2}, -32)), "00111");
  EXPECT_EQ(judged(map_of<double>({0, 1}, -64), {.good = GoodPixels::nonzero}), "10");
}

}  // namespace
}  // namespace srcextract
