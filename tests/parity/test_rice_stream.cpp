// What a thread of the device does with a tile that RICE_1 compressed, done by a thread of the host, beside the decoder
// of the host and CFITSIO's.
#include "io/tiles/rice.hpp"
#include "tests/io/support/cfitsio_rice.hpp"
#include "tests/parity/rice_support.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/same_bytes.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/ingest/rice_parts.hpp"
#endif

namespace srcextract {
namespace {

using Stream = std::vector<std::byte>;

/// The integers of a tile, or nothing if it is damaged.
template <class Pixel>
std::optional<std::vector<Pixel>> decode_by_thread(const Stream& bytes, std::size_t count, int block) {
  testing::WordsOfThread words(bytes);
  const RiceCoding coding = rice_coding(sizeof(Pixel));
  RiceStream stream = words.stream(coding);
  std::vector<Pixel> pixels;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % RiceWords::pixels_between == 0) stream.load_ahead();
    if (i % static_cast<std::size_t>(block) == 0) stream.begin_block();
    pixels.push_back(static_cast<Pixel>(rice_integer(stream.next(), coding.pixel_bits)));
  }
  if (stream.damaged()) return std::nullopt;
  return pixels;
}

template <class Pixel>
std::optional<std::vector<Pixel>> decode_by_host(const Stream& bytes, std::size_t count, int block) {
  std::vector<Pixel> pixels(count);
  if (!decode_rice(bytes, block, std::span(pixels))) return std::nullopt;
  return pixels;
}

/// It reads on beyond the end until it finds a one.
template <class Pixel>
std::optional<std::vector<Pixel>> decode_by_cfitsio(Stream bytes, std::size_t count, int block) {
  std::vector<std::make_unsigned_t<Pixel>> pixels(count);
  const int length = static_cast<int>(bytes.size()), wanted = static_cast<int>(count);
  bytes.resize(bytes.size() + std::size_t{8} * 64, std::byte{0xff});
  auto* const stream = reinterpret_cast<unsigned char*>(bytes.data());
  int failed = 0;
  if constexpr (sizeof(Pixel) == 1) failed = fits_rdecomp_byte(stream, length, pixels.data(), wanted, block);
  if constexpr (sizeof(Pixel) == 2) failed = fits_rdecomp_short(stream, length, pixels.data(), wanted, block);
  if constexpr (sizeof(Pixel) == 4) failed = fits_rdecomp(stream, length, pixels.data(), wanted, block);
  if (failed != 0) return std::nullopt;
  return std::vector<Pixel>(pixels.begin(), pixels.end());
}

template <class Pixel>
class RiceStreamOf : public ::testing::Test {
 protected:
  /// In steps that take some number of bits, at times the same one for long.
  std::vector<Pixel> wander(std::size_t count) {
    std::vector<Pixel> pixels(count);
    std::uint32_t last = 0, bits = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 71 == 0) bits = random_() % (8 * sizeof(Pixel) + 1);
      const auto step = static_cast<std::uint32_t>(random_() & ((std::uint64_t{1} << bits) - 1));
      last = random_() % 2 == 0 ? last + step : last - step;
      pixels[i] = static_cast<Pixel>(last);
    }
    return pixels;
  }

  static Stream code(std::vector<Pixel> pixels, int block) {
    Stream bytes(pixels.size() * (sizeof(Pixel) + 1) + 100);
    auto* const out = reinterpret_cast<unsigned char*>(bytes.data());
    const int count = static_cast<int>(pixels.size()), room = static_cast<int>(bytes.size());
    int length = 0;
    if constexpr (sizeof(Pixel) == 1)
      length = fits_rcomp_byte(reinterpret_cast<signed char*>(pixels.data()), count, out, room, block);
    if constexpr (sizeof(Pixel) == 2) length = fits_rcomp_short(pixels.data(), count, out, room, block);
    if constexpr (sizeof(Pixel) == 4) length = fits_rcomp(pixels.data(), count, out, room, block);
    bytes.resize(static_cast<std::size_t>(length));
    return bytes;
  }

  /// Cut short, with a bit that was changed, of noise, with a run of zeros, or as it is.
  Stream damage(Stream bytes, int way) {
    if (way == 0) bytes.resize(random_() % (bytes.size() + 1));
    if (way == 1) bytes[random_() % bytes.size()] ^= static_cast<std::byte>(1 << random_() % 8);
    if (way == 2)
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
    if (way == 3) {
      const std::size_t at = random_() % bytes.size(), length = std::min(random_() % 40, bytes.size() - at);
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, std::byte{0});
    }
    return bytes;
  }

  std::mt19937 random_{23};
};

using Integers = ::testing::Types<std::uint8_t, std::int16_t, std::int32_t>;
TYPED_TEST_SUITE(RiceStreamOf, Integers);

TYPED_TEST(RiceStreamOf, WhatCfitsioCodes) {
  for (int block : {1, 5, 16, 32, 33, 64})
    for (std::size_t count : {1, 2, 31, 32, 33, 1000, 4096}) {
      const std::vector<TypeParam> pixels = this->wander(count);
      const auto decoded = decode_by_thread<TypeParam>(this->code(pixels, block), count, block);
      ASSERT_TRUE(decoded) << block << " " << count;
      EXPECT_EQ(*decoded, pixels) << block << " " << count;
    }
}

TYPED_TEST(RiceStreamOf, DamageIsFoundAsByTheHost) {
  constexpr std::size_t count = 700;
  int refused = 0, read = 0;
  for (int trial = 0; trial < testing::share(20000); ++trial) {
    const int block = trial % 7 == 0 ? 16 : 32;
    const Stream bytes = this->damage(this->code(this->wander(count), block), trial % 5);
    const auto ours = decode_by_thread<TypeParam>(bytes, count, block);
    const auto host = decode_by_host<TypeParam>(bytes, count, block);
    (ours ? read : refused)++;
    ASSERT_EQ(ours.has_value(), host.has_value()) << trial;
    if (ours) {
      ASSERT_EQ(*ours, *host) << trial;
    }
    if (trial % 4 != 0 || bytes.size() < sizeof(TypeParam)) continue;
    const auto peers = decode_by_cfitsio<TypeParam>(bytes, count, block);
    if (ours) {
      ASSERT_TRUE(peers) << trial;
      ASSERT_EQ(*ours, *peers) << trial;
    } else if (sizeof(TypeParam) < 4) {  // with more low bits than are ever coded, CFITSIO reads something
      ASSERT_FALSE(peers) << trial;
    }
  }
  EXPECT_GT(refused, testing::share(2000));
  EXPECT_GT(read, testing::share(2000));
}

/// The pixels of a plane as the threads of the device make them, or nothing if a tile is damaged.
std::optional<Pixels<Cpu>> decode_by_threads(const RicePlane& plane, const PixelSource& source) {
  constexpr std::int32_t piece = 32;
  const RiceFormat format = make_rice_format(plane, source.format);
  Pixels<Cpu> pixels(source.shape, Cpu{});
  *pixels.masked = {};
  bool damaged = false;
  for (std::int64_t number = 0; number < plane.tiles; ++number) {
    const RiceTile tile = plane.tile(number);
    if (tile.stream.empty()) return std::nullopt;
    testing::WordsOfThread words(tile.stream);
    const RiceScale how = make_rice_scale(tile.quantisation, plane);
    RiceStream stream = words.stream(format.coding);
    const float* const numbers = format.dither == Dither::none ? nullptr : randoms().data();
    DitherPlace dither(numbers, how.random_begin);
    for (std::int64_t i = 0; i < tile.width * tile.height; ++i) {
      if (i % RiceWords::pixels_between == 0) stream.load_ahead();
      if (i % format.block == 0) stream.begin_block();
      if (i > 0 && i % piece == 0) dither.advance(piece);
      const std::int32_t integer = rice_integer(stream.next(), format.coding.pixel_bits);
      const float random =
          numbers == nullptr ? 0 : DitherPlace::number(numbers, dither.at(), dither.next(), std::int32_t(i % piece));
      const std::int64_t place = (tile.y + i / tile.width) * source.shape.width + tile.x + i % tile.width;
      pixels.image.pixels[place] = rice_pixel(integer, random, how, format, *pixels.masked);
      damaged |= is_too_large(integer, format.bitpix);
    }
    damaged |= stream.damaged();
  }
  if (damaged) return std::nullopt;
  return pixels;
}

void expect_same_pixels(const Pixels<Cpu>& ours, const Pixels<Cpu>& wanted, const std::string& name) {
  const auto in_vector = [](const Pixels<Cpu>& pixels) {
    return std::vector<float>(pixels.image.pixels.begin(), pixels.image.pixels.end());
  };
  EXPECT_TRUE(testing::same_bytes(in_vector(ours), in_vector(wanted))) << name;
  EXPECT_EQ(ours.masked->nan, wanted.masked->nan) << name;
  EXPECT_EQ(ours.masked->infinite, wanted.masked->infinite) << name;
  EXPECT_EQ(ours.masked->blank, wanted.masked->blank) << name;
}

TEST(RiceTiles, PixelsAreThoseOfTheHostsDecoder) {
  testing::CompressedFiles files;
  int decoded = 0;
  for (const testing::NamedFile& file : testing::files_of_tiles(229, 67)) {
    const FitsImage image = files.open(file.bytes);
    const PixelSource source = image.plane(1);
    ASSERT_NE(CompressedRead::of(source), nullptr) << file.name;
    const std::optional<RicePlane> plane = CompressedRead::of(source)->rice();
    ASSERT_TRUE(plane) << file.name;
    const std::optional<Pixels<Cpu>> ours = decode_by_threads(*plane, source);
    decoded += ours.has_value();
    if (ours) expect_same_pixels(*ours, ingest(source, Cpu{2}), file.name);
  }
  EXPECT_GE(decoded, 60);
}

// Through all of the random numbers, twice.
TEST(RiceTiles, DitheredTilesLongerThanTheRandomNumbers) {
  testing::CompressedFiles files;
  for (int dither : {SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2}) {
    const testing::Compression how{.tile = {25000, 1}, .quantize = 4, .dither = dither};
    const FitsImage image = files.open(testing::compressed_sky<float>(how, 25000, 5));
    const PixelSource source = image.plane(1);
    const std::optional<Pixels<Cpu>> ours = decode_by_threads(*CompressedRead::of(source)->rice(), source);
    ASSERT_TRUE(ours);
    expect_same_pixels(*ours, ingest(source, Cpu{2}), std::to_string(dither));
  }
}

// Planes of a cube by themselves; not where tiles reach through several.
TEST(RiceTiles, PlanesOfCubes) {
  testing::CompressedFiles files;
  const std::vector<long> axes{31, 33, 3};
  const std::vector<std::int16_t> sky = testing::compressible_sky<std::int16_t>(31, 99, 3);
  const FitsImage rows = files.open(testing::compressed_file({.tile = {31, 1, 1}}, 16, TSHORT, axes, sky));
  for (std::int64_t number = 1; number <= 3; ++number) {
    const PixelSource source = rows.plane(number);
    const std::optional<RicePlane> plane = CompressedRead::of(source)->rice();
    ASSERT_TRUE(plane);
    const std::optional<Pixels<Cpu>> ours = decode_by_threads(*plane, source);
    ASSERT_TRUE(ours);
    expect_same_pixels(*ours, ingest(source, Cpu{2}), "plane " + std::to_string(number));
  }
  const FitsImage deep = files.open(testing::compressed_file({.tile = {31, 1, 2}}, 16, TSHORT, axes, sky));
  EXPECT_FALSE(CompressedRead::of(deep.plane(1))->rice());
}

TEST(RiceTiles, OtherMethodsAreNotOffered) {
  testing::CompressedFiles files;
  for (int method : {GZIP_1, GZIP_2, HCOMPRESS_1}) {
    const testing::Compression how{.method = method, .tile = {64, 32}};
    const FitsImage image = files.open(testing::compressed_sky<std::int16_t>(how, 64, 32));
    EXPECT_FALSE(CompressedRead::of(image.plane(1))->rice()) << method;
  }
}

#if SRCEXTRACT_HAVE_CUDA
// Every stream stands once where its tile says, and nothing but zeros between them.
TEST(RiceTiles, PartsAndSlicesHoldEveryStream) {
  testing::CompressedFiles files;
  const FitsImage image = files.open(testing::compressed_sky<std::int16_t>({}, 300, 500));
  const PixelSource source = image.plane(1);
  const std::optional<RicePlane> plane = CompressedRead::of(source)->rice();
  for (const auto& [slice_bytes, part_bytes] : {std::pair(1 << 20, 1 << 24), {2000, 30000}, {1000, 1000}}) {
    const auto parts = RiceParts::of(*plane, 300, slice_bytes, part_bytes, Cpu{2});
    ASSERT_TRUE(parts);
    std::int64_t tile = 0;
    for (const RiceParts::Part& part : parts->parts()) {
      EXPECT_EQ(part.begin, tile);
      EXPECT_LE(part.bytes + part.table_bytes(), part_bytes);
      Stream there(static_cast<std::size_t>(part.bytes), std::byte{0xff});
      std::int64_t end = 0;
      for (const RiceParts::Slice& slice : part.slices) {
        EXPECT_EQ(slice.first, end);
        EXPECT_LE(slice.bytes, slice_bytes);
        parts->write(slice, there.data() + slice.first);
        end = slice.first + slice.bytes;
      }
      EXPECT_EQ(end, part.bytes);
      for (; tile < part.end; ++tile) {
        const DeviceTile& told = parts->tiles()[static_cast<std::size_t>(tile)];
        const RiceTile wanted = plane->tile(tile);
        EXPECT_EQ(told.begin % 16, 0U);
        EXPECT_EQ(told.first, tile * 300);
        ASSERT_EQ(told.bytes, wanted.stream.size());
        const std::size_t begin = told.begin, behind = begin + told.bytes;
        EXPECT_TRUE(std::ranges::equal(std::span(there).subspan(begin, told.bytes), wanted.stream));
        for (std::size_t at = behind; at % 16 != 0; ++at) EXPECT_EQ(there.at(at), std::byte{0});
      }
    }
    EXPECT_EQ(tile, plane->tiles);
  }
  EXPECT_FALSE(RiceParts::of(*plane, 300, 100, 1 << 20, Cpu{2}));  // less than a stream
}
#endif

}  // namespace
}  // namespace srcextract
