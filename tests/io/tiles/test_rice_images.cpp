#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "io/fits/start_cfitsio.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/compressed_files.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/stored_pixels.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {
namespace {

constexpr long width = 131, height = 97;

template <class T>
std::vector<T> sky(std::size_t count = width * height) {
  std::mt19937 random(5);
  std::normal_distribution<> noise(120, 9);
  std::vector<T> pixels(count);
  for (std::size_t i = 0; i < count; ++i) pixels[i] = static_cast<T>(noise(random) + (i % 1009 == 0 ? 100 : 0));
  return pixels;
}

template <class T>
constexpr int bitpix_of = static_cast<int>(sizeof(T)) * (std::is_integral_v<T> ? 8 : -8);

template <class T>
constexpr int type_of = std::is_same_v<T, std::uint8_t>   ? TBYTE
                        : std::is_same_v<T, std::int16_t> ? TSHORT
                        : std::is_same_v<T, std::int32_t> ? TINT
                        : std::is_same_v<T, float>        ? TFLOAT
                                                          : TDOUBLE;

/// The pixels of the first extension as CFITSIO itself reads them, unscaled, as bytes; nothing if it cannot.
template <class T>
std::vector<std::byte> peer_pixels(std::string bytes, std::vector<long> axes) {
  start_cfitsio();
  fitsfile* file = nullptr;
  void* memory = bytes.data();
  std::size_t size = bytes.size();
  int status = 0, any_null = 0;
  fits_open_memfile(&file, "memory", READONLY, &memory, &size, 0, nullptr, &status);
  fits_movabs_hdu(file, 2, nullptr, &status);
  fits_set_bscale(file, 1, 0, &status);
  std::size_t count = 1;
  for (long length : axes) count *= static_cast<std::size_t>(length);
  std::vector<long> first(axes.size(), 1), step(axes.size(), 1);
  std::vector<std::byte> pixels(count * sizeof(T));
  T nan = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T{};
  fits_read_subset(file, type_of<T>, first.data(), axes.data(), step.data(), std::is_integral_v<T> ? nullptr : &nan,
                   pixels.data(), &any_null, &status);
  int closed = 0;
  if (file) fits_close_file(file, &closed);
  fits_clear_errmsg();
  if (status) pixels.clear();
  return pixels;
}

class RiceImages : public ::testing::Test {
 protected:
  FitsImage open(const std::string& bytes) {
    const std::string path = directory_ / (std::to_string(files_++) + ".fits.fz");
    write_file(path, bytes);
    std::vector<FitsImage> images = open_fits_images(path, "1");
    return std::move(images.at(0));
  }

  /// Every plane, by three threads at once in pieces of that many pixels.
  std::vector<std::byte> read(const FitsImage& image, std::int64_t piece) {
    std::vector<std::byte> all;
    std::int64_t planes = 1;
    for (std::size_t axis = 2; axis < image.axes().size(); ++axis) planes *= image.axes()[axis];
    for (std::int64_t plane = 1; plane <= planes; ++plane) {
      const PixelSource source = image.plane(plane);
      const std::int64_t count = source.shape.count(), bytes = source.format.bytes();
      std::vector<std::byte> pixels(static_cast<std::size_t>(count * bytes));
      std::vector<std::thread> threads;
      for (std::int64_t thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&, thread] {
          for (std::int64_t first = thread * piece; first < count; first += 3 * piece) {
            source.read(first, std::min(piece, count - first), pixels.data() + first * bytes);
          }
        });
      }
      for (std::thread& one : threads) one.join();
      all.insert(all.end(), pixels.begin(), pixels.end());
    }
    return all;
  }

  template <class T>
  void expect_as_cfitsio(const std::string& bytes, const std::vector<long>& axes = {width, height}) {
    const std::vector<std::byte> peers = peer_pixels<T>(bytes, axes);
    ASSERT_FALSE(peers.empty());
    const FitsImage image = open(bytes);
    for (std::int64_t piece : {1 << 20, 5000, 131 * 3, 50}) EXPECT_TRUE(read(image, piece) == peers) << piece;
  }

  template <class T>
  void expect_integers_as_cfitsio() {
    const auto compress = [](const std::vector<long>& tile) {
      return compressed_file({.method = RICE_1, .tile = tile}, bitpix_of<T>, type_of<T>, {width, height}, sky<T>());
    };
    for (const std::vector<long>& tile : tile_shapes) {
      SCOPED_TRACE(::testing::PrintToString(tile));
      expect_as_cfitsio<T>(compress(tile));
    }
  }

  template <class T>
  void expect_floats_as_cfitsio(int dither) {
    std::vector<T> pixels = sky<T>();
    pixels[11] = pixels[700] = null_pixel;
    for (std::size_t i = 40; i < 60; ++i) pixels[i] = 0;
    for (const std::vector<long>& tile : tile_shapes) {
      for (int seed : {1, 9950, 10000}) {
        SCOPED_TRACE(::testing::PrintToString(tile) + " " + std::to_string(seed));
        const Compression how{
            .method = RICE_1, .tile = tile, .quantize = 4, .dither = dither, .keywords = {{"ZDITHER0", seed}}};
        expect_as_cfitsio<T>(compressed_file(how, bitpix_of<T>, type_of<T>, {width, height}, pixels));
      }
    }
  }

  static inline const std::vector<std::vector<long>> tile_shapes{{width, 1}, {width, 10}, {width, height}, {32, 32},
                                                                 {100, 100}, {7, 1},      {1, height}};

  TemporaryFolder directory_;
  int files_ = 0;
};

TEST_F(RiceImages, Integers) {
  expect_integers_as_cfitsio<std::uint8_t>();
  expect_integers_as_cfitsio<std::int16_t>();
  expect_integers_as_cfitsio<std::int32_t>();
}

TEST_F(RiceImages, Floats) {
  for (int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2}) expect_floats_as_cfitsio<float>(dither);
}

TEST_F(RiceImages, Doubles) {
  for (int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2}) expect_floats_as_cfitsio<double>(dither);
}

// A tile of one value, or of noise that no quantisation helps, stands in another column.
TEST_F(RiceImages, TilesThatAreNotQuantised) {
  std::vector<float> pixels = sky<float>();
  for (long x = 0; x < width; ++x) {
    pixels[static_cast<std::size_t>(3 * width + x)] = 77;
    pixels[static_cast<std::size_t>(5 * width + x)] = null_pixel;
    pixels[static_cast<std::size_t>(7 * width + x)] = x % 2 ? 1e30f : -1e-30f;
  }
  for (int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1}) {
    const Compression how{.method = RICE_1, .quantize = 4, .dither = dither};
    expect_as_cfitsio<float>(compressed_file(how, -32, TFLOAT, {width, height}, pixels));
  }
}

TEST_F(RiceImages, CubesOfTilesThatReachThroughPlanes) {
  const std::vector<long> cube{31, 17, 15}, hypercube{31, 17, 5, 3};
  const std::vector<std::vector<long>> tiles{{31, 1, 1}, {31, 17, 2}, {8, 9, 4}};
  for (std::vector<long> tile : tiles) {
    SCOPED_TRACE(::testing::PrintToString(tile));
    const Compression floats{.method = RICE_1, .tile = tile, .quantize = 4, .dither = SUBTRACTIVE_DITHER_1};
    expect_as_cfitsio<float>(compressed_file(floats, -32, TFLOAT, cube, sky<float>(7905)), cube);
    tile.push_back(2);
    const Compression integers{.method = RICE_1, .tile = tile};
    expect_as_cfitsio<std::int16_t>(compressed_file(integers, 16, TSHORT, hypercube, sky<std::int16_t>(7905)),
                                    hypercube);
  }
}

// Integers in the tiles that are wider or narrower than those of the image, as the first programs wrote them.
TEST_F(RiceImages, IntegersOfAnotherWidth) {
  const std::string wide = compressed_file({.method = RICE_1}, 32, TINT, {width, height}, sky<std::int32_t>());
  expect_as_cfitsio<std::int16_t>(with_card(wide, "ZBITPIX", "16"));
  expect_as_cfitsio<std::uint8_t>(with_card(wide, "ZBITPIX", "8"));
  const std::string narrow = compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, sky<std::int16_t>());
  expect_as_cfitsio<std::int32_t>(with_card(narrow, "ZBITPIX", "32"));
  expect_as_cfitsio<std::uint8_t>(with_card(narrow, "ZBITPIX", "8"));
  const std::string bytes = compressed_file({.method = RICE_1}, 8, TBYTE, {width, height}, sky<std::uint8_t>());
  expect_as_cfitsio<std::int16_t>(with_card(bytes, "ZBITPIX", "16"));
  expect_as_cfitsio<std::int32_t>(with_card(bytes, "ZBITPIX", "32"));
}

// One scale for all tiles, in keywords, over integers of any width. CFITSIO 4.2 takes the integers for floats.
TEST_F(RiceImages, ScaleInKeywords) {
  const auto expect_scaled = [&]<class T>(T) {
    const std::vector<T> integers = sky<T>();
    const Compression how{.method = RICE_1, .keywords = {{"ZSCALE", 0.37}, {"ZZERO", 11.5}, {"ZBLANK", 120}}};
    const std::string file = compressed_file(how, bitpix_of<T>, type_of<T>, {width, height}, integers);
    const std::vector<float> floats = stored_pixels<float>(open(with_card(file, "ZBITPIX", "-32")).plane(1));
    const std::vector<double> doubles = stored_pixels<double>(open(with_card(file, "ZBITPIX", "-64")).plane(1));
    for (std::size_t i = 0; i < integers.size(); ++i) {
      const double value = integers[i] == 120 ? NAN : integers[i] * 0.37 + 11.5;
      ASSERT_EQ(std::isnan(floats[i]), std::isnan(value));
      ASSERT_EQ(std::isnan(doubles[i]), std::isnan(value));
      if (std::isnan(value)) continue;
      ASSERT_EQ(floats[i], static_cast<float>(value));
      ASSERT_EQ(doubles[i], value);
    }
  };
  expect_scaled(std::uint8_t{});
  expect_scaled(std::int16_t{});
  expect_scaled(std::int32_t{});
}

// The same in tiles of the other methods, which hold integers of 32 bits then.
TEST_F(RiceImages, ScaleInKeywordsOverOtherMethods) {
  const std::vector<std::int32_t> integers = sky<std::int32_t>();
  for (int method : {GZIP_1, GZIP_2, HCOMPRESS_1}) {
    SCOPED_TRACE(method);
    const Compression how{.method = method, .tile = {width, height}, .keywords = {{"ZSCALE", 0.37}, {"ZZERO", 11.5}}};
    const std::string file = compressed_file(how, 32, TINT, {width, height}, integers);
    const std::vector<double> read = stored_pixels<double>(open(with_card(file, "ZBITPIX", "-64")).plane(1));
    for (std::size_t i = 0; i < integers.size(); ++i) ASSERT_EQ(read[i], integers[i] * 0.37 + 11.5);
  }
}

TEST_F(RiceImages, ScaleWithoutAZeroIsRefused) {
  for (int method : {GZIP_1, HCOMPRESS_1, RICE_1}) {
    const Compression how{.method = method, .tile = {width, height}, .keywords = {{"ZSCALE", 0.37}}};
    const std::string file = compressed_file(how, 32, TINT, {width, height}, sky<std::int32_t>());
    try {
      open(with_card(file, "ZBITPIX", "-32"));
      ADD_FAILURE() << method;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find("ZSCALE"), std::string::npos) << error.what();
    }
  }
}

// Integers with a scale are not in the standard: what they mean cannot be known.
TEST_F(RiceImages, IntegersWithAScaleAreRefused) {
  const Compression how{.method = RICE_1, .keywords = {{"ZSCALE", 2}, {"ZZERO", 11}}};
  EXPECT_THROW(open(compressed_file(how, 32, TINT, {width, height}, sky<std::int32_t>())), Error);
}

// CFITSIO takes BLANK where there is no ZBLANK.
TEST_F(RiceImages, BlankOfFloats) {
  std::vector<float> pixels = sky<float>();
  pixels[700] = null_pixel;
  const Compression how{.method = RICE_1, .quantize = 4, .dither = SUBTRACTIVE_DITHER_1};
  std::string file = compressed_file(how, -32, TFLOAT, {width, height}, pixels);
  const std::size_t at = file.find("ZBLANK  =", 2880);
  ASSERT_NE(at, std::string::npos);
  file.replace(at, 9, "BLANK   =");
  expect_as_cfitsio<float>(file);
  EXPECT_TRUE(std::isnan(stored_pixels<float>(open(file).plane(1)).at(700)));
}

TEST_F(RiceImages, NumbersTooLargeForThePixelsAreAnError) {
  std::vector<std::int32_t> pixels = sky<std::int32_t>();
  pixels[5] = 40000;
  const std::string wide = compressed_file({.method = RICE_1}, 32, TINT, {width, height}, pixels);
  const FitsImage image = open(with_card(wide, "ZBITPIX", "16"));
  EXPECT_THROW(stored_pixels<std::int16_t>(image.plane(1)), Error);
}

// Whatever is asked for, and by however many threads, the error is the same.
TEST_F(RiceImages, FirstDamagedTileIsNamed) {
  std::string bytes = compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, sky<std::int16_t>());
  std::fill(bytes.end() - 6000, bytes.end(), '\xff');  // the last third of the tiles: pixels as they are
  const FitsImage image = open(bytes);
  const PixelSource source = image.plane(1);
  std::vector<std::byte> pixels(width * height * 2);
  std::string first;
  for (std::int64_t row : {96, 95, 90}) {
    try {
      source.read(row * width + 3, 5, pixels.data());
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      if (first.empty()) first = error.what();
      EXPECT_EQ(error.what(), first);
    }
  }
  EXPECT_NE(first.find("of the compressed image is damaged"), std::string::npos) << first;
  source.read(0, 10 * width, pixels.data());
}

}  // namespace
}  // namespace srcextract::testing
