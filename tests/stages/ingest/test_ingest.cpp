#include "stages/ingest/ingest.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

PixelSource source_of(std::vector<std::uint8_t> bytes, PixelFormat format, Shape shape) {
  return {shape, format, [bytes = std::move(bytes), format](std::int64_t first, std::int64_t count, std::byte* out) {
            std::memcpy(out, bytes.data() + first * format.bytes(), static_cast<std::size_t>(count * format.bytes()));
          }};
}

template <class Where>
class Ingest : public StageTest<Where> {
 protected:
  std::vector<float> pixels(const std::vector<std::uint8_t>& bytes, const PixelFormat& format) {
    const auto count = static_cast<std::int64_t>(bytes.size()) / format.bytes();
    ingested_ = ingest(source_of(bytes, format, {count, 1}), this->where());
    return this->backend().get(ingested_.image.pixels);
  }
  MaskCounts masked() { return fetch(ingested_.masked, this->where()); }
  Pixels<Where> ingested_;
};
TYPED_TEST_SUITE(Ingest, Backends);

// Big-endian byte patterns written out by hand, as the FITS Standard stores them (4.0, section 5).
TYPED_TEST(Ingest, ReadsEveryBitpix) {
  EXPECT_EQ(this->pixels({0, 1, 255}, {.bitpix = 8}), (std::vector<float>{0, 1, 255}));
  EXPECT_EQ(this->pixels({0x00, 0x01, 0xff, 0xfe, 0x80, 0x00}, {.bitpix = 16}), (std::vector<float>{1, -2, -32768}));
  EXPECT_EQ(this->pixels({0x00, 0x01, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff}, {.bitpix = 32}),
            (std::vector<float>{65536, -1}));
  EXPECT_EQ(this->pixels({0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {.bitpix = 64}),
            (std::vector<float>{4294967296.0F, -1}));
  EXPECT_EQ(this->pixels({0x3f, 0xc0, 0, 0, 0xc2, 0xc8, 0, 0}, {.bitpix = -32}), (std::vector<float>{1.5F, -100}));
  EXPECT_EQ(this->pixels({0x40, 0x59, 0, 0, 0, 0, 0, 0}, {.bitpix = -64}), (std::vector<float>{100}));
}

TYPED_TEST(Ingest, ReadsTheByteOrderOfThisMachine) {
  const std::int16_t stored[] = {258, -3};
  std::vector<std::uint8_t> bytes(sizeof(stored));
  std::memcpy(bytes.data(), stored, sizeof(stored));
  EXPECT_EQ(this->pixels(bytes, {.bitpix = 16, .big_endian = false}), (std::vector<float>{258, -3}));
}

TYPED_TEST(Ingest, ScalesInDoubleAndRoundsOnce) {
  // 0.1 * 3 + 0.7 is 1.0 in exact arithmetic; float(0.1) * 3 + float(0.7) is not.
  EXPECT_EQ(this->pixels({0, 3}, {.bitpix = 16, .bscale = 0.1, .bzero = 0.7}), (std::vector<float>{1.0F}));
  EXPECT_EQ(this->pixels({0x80, 0x00, 0x7f, 0xff}, {.bitpix = 16, .bscale = 1, .bzero = 32768}),
            (std::vector<float>{0, 65535}));
  EXPECT_EQ(this->pixels({0x7f, 0xff, 0xff, 0xff}, {.bitpix = 32, .bscale = 1, .bzero = 2147483648.0}),
            (std::vector<float>{4294967296.0F}));  // 4294967295 rounded to float32
}

TYPED_TEST(Ingest, KeepsSmallUnsigned64BitValuesExact) {
  // Stored -2^63 + 5 means 5. In double, -2^63 + 5 is -2^63 already.
  EXPECT_EQ(this->pixels({0x80, 0, 0, 0, 0, 0, 0, 5}, {.bitpix = 64, .bscale = 1, .bzero = 9223372036854775808.0}),
            (std::vector<float>{5}));
}

TYPED_TEST(Ingest, MasksAndCountsWhatIsNoNumber) {
  const auto pixels = this->pixels({0x7f, 0xc0, 0x12, 0x34,   // a quiet NaN with a payload
                                    0xff, 0x80, 0x00, 0x01,   // a negative signalling NaN
                                    0x7f, 0x80, 0x00, 0x00,   // +Inf
                                    0xff, 0x80, 0x00, 0x00,   // -Inf
                                    0x40, 0x00, 0x00, 0x00},  // 2
                                   {.bitpix = -32});
  ASSERT_EQ(pixels.size(), 5U);
  for (int i = 0; i < 4; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &pixels[static_cast<std::size_t>(i)], sizeof(bits));
    EXPECT_EQ(bits, 0x7fc00000U) << i;  // the one NaN that means masked
  }
  EXPECT_EQ(pixels[4], 2.0F);
  EXPECT_EQ(this->masked().nan, 2);
  EXPECT_EQ(this->masked().infinite, 2);
  EXPECT_EQ(this->masked().blank, 0);
  EXPECT_EQ(this->masked().total(), 4);
}

TYPED_TEST(Ingest, MasksBlankAndDoublesBeyondFloat) {
  const auto integers =
      this->pixels({0x80, 0x00, 0x00, 0x07}, {.bitpix = 16, .bscale = 2, .bzero = 1, .blank = -32768});
  EXPECT_TRUE(std::isnan(integers[0]));
  EXPECT_EQ(integers[1], 15.0F);
  EXPECT_EQ(this->masked().blank, 1);
  EXPECT_EQ(this->masked().nan, 0);

  const auto doubles = this->pixels({0x7e, 0x37, 0xe4, 0x3c, 0x88, 0x00, 0x75, 0x9c}, {.bitpix = -64});  // 1e300
  EXPECT_TRUE(std::isnan(doubles[0]));
  EXPECT_EQ(this->masked().infinite, 1);
}

TYPED_TEST(Ingest, WhatIsBlankIsNotInfinite) {
  const std::vector<float> pixels =
      this->pixels({0x80, 0x00, 0x7f, 0xff, 0x00, 0x01, 0x80, 0x00}, {.bitpix = 16, .bscale = 1e36, .blank = -32768});
  EXPECT_TRUE(std::isnan(pixels[0]));
  EXPECT_TRUE(std::isnan(pixels[1]));
  EXPECT_EQ(pixels[2], 1e36F);
  EXPECT_EQ(this->masked().blank, 2);
  EXPECT_EQ(this->masked().infinite, 1);
  EXPECT_EQ(this->masked().nan, 0);
}

TYPED_TEST(Ingest, BlankThatNoPixelCanBeMasksNone) {
  EXPECT_EQ(this->pixels({0xff, 0xff, 0x00, 0x00}, {.bitpix = 16, .blank = 0xffff}), (std::vector<float>{-1, 0}));
  EXPECT_EQ(this->pixels({0xff, 0x00}, {.bitpix = 8, .blank = -1}), (std::vector<float>{255, 0}));
  EXPECT_EQ(this->masked().blank, 0);
}

// Whatever the number of pixels that a processor decodes at a time.
TYPED_TEST(Ingest, MasksEveryBlankOfALongRow) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 1003; ++i) bytes.insert(bytes.end(), {0, static_cast<std::uint8_t>(i % 7)});
  const std::vector<float> pixels = this->pixels(bytes, {.bitpix = 16, .bscale = 0.5, .bzero = 10, .blank = 3});
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (i % 7 == 3) {
      EXPECT_TRUE(std::isnan(pixels[i])) << i;
    } else {
      EXPECT_EQ(pixels[i], 10 + 0.5F * static_cast<float>(i % 7)) << i;
    }
  }
  EXPECT_EQ(this->masked().blank, 143);
}

TYPED_TEST(Ingest, ReadsPlanesLargerThanAnyChunk) {
  const Shape shape{4099, 2053};  // several chunks of either back end, none of them full at the end
  const PixelSource source{shape, {.bitpix = 16}, [](std::int64_t first, std::int64_t count, std::byte* out) {
                             for (std::int64_t i = 0; i < count; ++i) {
                               const auto value = static_cast<std::uint16_t>((first + i) % 32749);
                               out[2 * i] = static_cast<std::byte>(value >> 8);
                               out[2 * i + 1] = static_cast<std::byte>(value & 0xff);
                             }
                           }};
  const auto pixels = this->backend().get(ingest(source, this->where()).image.pixels);
  ASSERT_EQ(pixels.size(), static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < pixels.size(); ++i) ASSERT_EQ(pixels[i], static_cast<float>(i % 32749)) << i;
}

TYPED_TEST(Ingest, TakesPixelsThatLieInMemoryFromThere) {
  const Shape shape{2053, 1031};
  std::vector<std::int16_t> stored(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::int16_t>(i % 32749);
  const auto* memory = reinterpret_cast<const std::byte*>(stored.data());
  const auto copy = [memory](std::int64_t first, std::int64_t count, std::byte* out) {
    std::memcpy(out, memory + 2 * first, static_cast<std::size_t>(2 * count));
  };
  const PixelSource source{shape, {.bitpix = 16, .big_endian = false}, copy, memory};
  const auto pixels = this->backend().get(ingest(source, this->where()).image.pixels);
  EXPECT_EQ(pixels, std::vector<float>(stored.begin(), stored.end()));
}

TYPED_TEST(Ingest, ReadsPixelsThatAreMadeOfAnotherPlane) {
  const PixelSource inner = source_of({10, 20, 30, 40}, {.bitpix = 8}, {4, 1});
  PixelSource outer{.shape = {4, 1}, .format = {.bitpix = -32, .big_endian = false}, .read = {}};
  outer.read = [&](std::int64_t first, std::int64_t count, std::byte* out) {
    const Image<float, Cpu> all = ingest(inner, Cpu{1}).image;
    for (std::int64_t i = 0; i < count; ++i) {
      const float twice = 2 * all.pixels[first + i];
      std::memcpy(out + i * 4, &twice, sizeof(twice));
    }
  };
  const Pixels<TypeParam> read = ingest(outer, this->where());
  EXPECT_EQ(this->backend().get(read.image.pixels), (std::vector<float>{20, 40, 60, 80}));
}

TYPED_TEST(Ingest, PassesOnTheErrorOfTheFile) {
  const PixelSource source{{3000, 3000}, {.bitpix = 8}, [](std::int64_t, std::int64_t, std::byte*) {
                             throw Error(ErrorKind::input, "the disk is gone");
                           }};
  EXPECT_THROW(ingest(source, this->where()), Error);
}

}  // namespace
}  // namespace srcextract
