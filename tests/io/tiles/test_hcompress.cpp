#include "io/tiles/hcompress.hpp"

#include <fitsio.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace srcextract::testing {
namespace {

using Bytes = std::vector<std::byte>;
using Integers = std::vector<std::int32_t>;

/// What CFITSIO makes of an image.
Bytes compressed(Integers pixels, int columns, int rows, int scale) {
  std::vector<char> out(pixels.size() * 8 + 1000);
  long bytes = std::ssize(out);
  int status = 0;
  fits_hcompress(pixels.data(), columns, rows, scale, out.data(), &bytes, &status);
  EXPECT_EQ(status, 0);
  const auto* const begin = reinterpret_cast<const std::byte*>(out.data());
  return {begin, begin + bytes};
}

/// What CFITSIO reads from it.
Integers peers(Bytes stream, std::size_t pixels, bool smooth) {
  stream.resize(stream.size() + 100000);  // it may read on behind the end
  std::vector<LONGLONG> out(pixels + 1);
  int columns = 0, rows = 0, scale = 0, status = 0;
  fits_hdecompress64(reinterpret_cast<unsigned char*>(stream.data()), smooth ? 1 : 0, out.data(), &columns, &rows,
                     &scale, &status);
  EXPECT_EQ(status, 0);
  const auto* const packed = reinterpret_cast<const std::int32_t*>(out.data());  // it packs them there
  return {packed, packed + pixels};
}

template <class Coefficient>
Integers decoded(const Bytes& stream, std::size_t pixels, bool smooth) {
  Integers out(pixels);
  EXPECT_TRUE(decode_hcompress<Coefficient>(stream, smooth, out));
  return out;
}

Integers waves(std::mt19937& random, std::size_t count) {
  const int height = 1 << random() % 20, noise = 1 + height / static_cast<int>(1 + random() % 50);
  Integers pixels(count);
  for (std::size_t i = 0; i < count; ++i)
    pixels[i] = static_cast<int>(height * std::sin(0.03 * static_cast<double>(i))) + static_cast<int>(random()) % noise;
  return pixels;
}

TEST(Hcompress, AsCfitsioOfAnyShapeScaleAndSmoothing) {
  std::mt19937 random(1);
  int lossy = 0, smoothed = 0;
  for (int image = 0; image < 600; ++image) {
    const int columns = 2 + static_cast<int>(random() % 60), rows = 1 + static_cast<int>(random() % 60);
    const int scale = random() % 3 == 0 ? 0 : static_cast<int>(random() % 40);
    SCOPED_TRACE(std::to_string(columns) + " x " + std::to_string(rows) + " scale " + std::to_string(scale));
    const Integers pixels = waves(random, static_cast<std::size_t>(columns * rows));
    const Bytes stream = compressed(pixels, columns, rows, scale);
    for (bool smooth : {false, true}) {
      const Integers read = decoded<std::int64_t>(stream, pixels.size(), smooth);
      ASSERT_EQ(read, peers(stream, pixels.size(), smooth));
      ASSERT_EQ(read, decoded<std::int32_t>(stream, pixels.size(), smooth));
      if (scale <= 1) {
        ASSERT_EQ(read, pixels);
      }
      lossy += read != pixels;
      smoothed += smooth && read != decoded<std::int64_t>(stream, pixels.size(), false);
    }
  }
  EXPECT_GT(lossy, 300);
  EXPECT_GT(smoothed, 100);
}

// Two bytes of magic, lengths, scale, sum and bit planes; then quadrants, a nibble, signs.
TEST(Hcompress, ImageOfOneValue) {
  Bytes stream(26);
  stream[0] = std::byte{0xdd};
  stream[1] = std::byte{0x99};
  stream[5] = stream[9] = std::byte{2};
  stream[21] = std::byte{28};  // the sum of the four
  EXPECT_EQ(decoded<std::int32_t>(stream, 4, false), Integers(4, 7));
  stream.back() = std::byte{0x10};
  Integers out(4);
  EXPECT_FALSE(decode_hcompress<std::int32_t>(stream, false, out)) << "half a byte of zeros is to follow the quadrants";
}

TEST(Hcompress, HeadMustBeThatOfTheTile) {
  const Bytes stream = compressed(Integers(20, 3), 5, 4, 0);
  EXPECT_TRUE(read_hcompress_head(stream, 20));
  EXPECT_FALSE(read_hcompress_head(stream, 19));
  EXPECT_FALSE(read_hcompress_head(std::span(stream).first(24), 20));
  EXPECT_FALSE(read_hcompress_head({}, 0));
}

TEST(Hcompress, StreamsThatEndEarlyOrGoOn) {
  std::mt19937 random(2);
  const Integers pixels = waves(random, 60 * 50);
  const Bytes whole = compressed(pixels, 60, 50, 0);
  Integers out(pixels.size());
  for (std::size_t length = 0; length < whole.size(); ++length)
    ASSERT_FALSE(decode_hcompress<std::int64_t>(std::span(whole).first(length), false, out)) << length;
  Bytes longer = whole;
  longer.resize(whole.size() + 100);
  EXPECT_FALSE(decode_hcompress<std::int64_t>(longer, false, out));
  longer.resize(whole.size() + 3);  // as one would fill it up
  EXPECT_TRUE(decode_hcompress<std::int64_t>(longer, false, out));
  EXPECT_EQ(out, pixels);
}

// Under the sanitizers: nothing outside of the stream or the pixels is touched, and what comes out is always the same.
TEST(Hcompress, DamagedStreams) {
  std::mt19937 random(3);
  const Bytes whole = compressed(waves(random, 31 * 22), 31, 22, 0);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    Bytes damaged = whole;
    for (std::uint32_t change = 0; change <= random() % 4; ++change)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    Integers first(31 * 22, 1), second(31 * 22, 2);
    const bool good = decode_hcompress<std::int64_t>(damaged, true, first);
    ASSERT_EQ(decode_hcompress<std::int64_t>(damaged, true, second), good);
    if (good) {
      ASSERT_EQ(first, second);
    }
    refused += !good;
    decode_hcompress<std::int32_t>(damaged, false, first);
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace srcextract::testing
