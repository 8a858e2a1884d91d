#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/compressed_fixture.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/stored_pixels.hpp"

namespace srcextract::testing {
namespace {

using ::testing::HasSubstr;

/// The file with the first `from` after the primary header replaced by `to`, which is as long.
std::string with(std::string bytes, const std::string& from, const std::string& to) {
  const std::size_t at = bytes.find(from, 2880);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(from.size(), to.size());
  return bytes.replace(at, from.size(), to);
}

/// The file with a table that has no rows, and no heap: a data unit of no bytes.
std::string without_rows(std::string bytes) {
  for (const char* key : {"NAXIS2  = ", "PCOUNT  = "}) {
    const std::size_t at = bytes.find(key, 2880);
    EXPECT_NE(at, std::string::npos) << key;
    bytes.replace(at + 10, 20, "                   0");
  }
  return bytes;
}

TEST_F(FitsCompressed, HeadersThatCfitsioWouldNotSurvive) {
  const std::string good = compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, sky<std::int16_t>());
  const auto expect_refused = [&](const std::string& bytes, const std::string& why) {
    write_file(directory / "bad.fits.fz", bytes);
    try {
      open_fits_images(directory / "bad.fits.fz", "1");
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  expect_refused(with(good, "ZTILE1  =                   37", "ZTILE1  =                    0"), "ZTILE1");
  expect_refused(with(good, "ZTILE2  =                    1", "ZTILE2  =                 0.25"), "ZTILE2");
  expect_refused(with(good, "ZNAXIS1 =                   37", "ZNAXIS1 =                    0"), "ZNAXIS1");
  expect_refused(with(good, "ZNAXIS2 =                   29", "ZNAXIS2 =                  -29"), "ZNAXIS2");
  expect_refused(with(good, "ZNAXIS2 =                   29", "ZNAXIS2 =                   30"), "number of tiles");
  expect_refused(without_rows(good), "number of tiles");
  expect_refused(with(good, "ZVAL1   =                   32", "ZVAL1   =                    0"), "ZVAL1");
  expect_refused(with(good, "ZBITPIX =                   16", "ZBITPIX =                   17"), "BITPIX = 17");
  expect_refused(with(good, "ZBITPIX =                   16", "ZBITPIX =                   64"), "64-bit");
  expect_refused(with(good, "'RICE_1  '", "'RICE_9  '"), "RICE_9");
  expect_refused(with(good, "BITPIX  =                    8", "BITPIX  = -9223372036854775808"), "BITPIX");
  // Integers of 1 and 2 bytes that are said to stand for floats as they are.
  const std::string bytes = compressed_file({.method = RICE_1}, 8, TBYTE, {width, height}, sky<std::uint8_t>());
  for (const char* bitpix : {"-32", "-64"}) {
    const std::string said = std::string("ZBITPIX =                  ") + bitpix;
    expect_refused(with(good, "ZBITPIX =                   16", said), "not quantised");
    expect_refused(with(bytes, "ZBITPIX =                    8", said), "not quantised");
  }
  const std::string lossless = compressed_file({.method = GZIP_1}, -32, TFLOAT, {width, height}, sky<float>());
  expect_refused(with(lossless, "ZBITPIX =                  -32", "ZBITPIX =                   16"), "ZQUANTIZ");
  const std::string dithered = compressed_file({.method = RICE_1, .quantize = 4, .dither = SUBTRACTIVE_DITHER_1}, -32,
                                               TFLOAT, {width, height}, sky<float>());
  for (const char* seed : {"         0", "        -5", "     10001", "2147483647"}) {
    const std::string begin = "ZDITHER0=           ";
    expect_refused(with(dithered, begin + "         7", begin + seed), "ZDITHER0 = ");
  }
  expect_refused(with(dithered, "'SUBTRACTIVE_DITHER_1'", "'NONE'                "), "ZQUANTIZ = 'NONE'");
}

TEST_F(FitsCompressed, FileCutShortWhileItIsReadIsNoSignal) {
  const std::vector<std::int16_t> pixels = sky<std::int16_t>();
  const std::string path = directory / "a.fits.fz";
  const FitsImage image = open(compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, pixels) + far_end);
  const std::uint32_t datasum = image.datasum(1);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(stored_pixels<std::int16_t>(image.plane(1)), pixels);
  EXPECT_EQ(image.datasum(1), datasum);
}

TEST_F(FitsCompressed, FileCutShortBeforeItIsOpenedIsAnError) {
  const std::string path = directory / "a.fits.fz";
  write_file(path, compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, sky<std::int16_t>()) + far_end);
  const std::vector<SelectedImage> selected = select_images(path, "1");
  std::filesystem::resize_file(path, 6000);
  try {
    selected.at(0).open();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("became shorter"));
  }
}

TEST_F(FitsCompressed, FileRewrittenBeforeItIsOpenedIsAnError) {
  const std::string path = directory / "a.fits.fz";
  const std::string bytes =
      compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, sky<std::int16_t>()) + far_end;
  write_file(path, bytes);
  const std::vector<SelectedImage> selected = select_images(path, "1");
  write_file(path, with(bytes, "ZBITPIX =                   16", "ZBITPIX =                   32"));
  try {
    selected.at(0).open();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("changed while it was read"));
  }
}

TEST_F(FitsCompressed, DamagedTilesAreFound) {
  const std::vector<std::int16_t> pixels = sky<std::int16_t>();
  const auto damaged = [&](int method, const std::string& magic, std::size_t at, char value) {
    std::string bytes = compressed_file({.method = method, .tile = {width, 29}}, 16, TSHORT, {width, height}, pixels);
    const std::size_t tile = bytes.find(magic, 5760);
    EXPECT_NE(tile, std::string::npos);
    bytes[tile + at] = value;
    write_file(directory / "bad.fits.fz", bytes);
    const std::vector<FitsImage> images = open_fits_images(directory / "bad.fits.fz", "1");
    try {
      stored_pixels<std::int16_t>(images.at(0).plane(1));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return std::string(error.what());
    }
    return std::string();
  };
  // A tile longer than the memory for it, a list longer than the tile, a stream that is not what it was.
  EXPECT_THAT(damaged(HCOMPRESS_1, "\xdd\x99", 4, 1), HasSubstr("tile 0"));
  EXPECT_THAT(damaged(PLIO_1, std::string("\0\0\0\x07\xff\x9c", 6), 8, 1), HasSubstr("tile 0"));
  EXPECT_THAT(damaged(GZIP_1, "\x1f\x8b\x08", 100, 0), HasSubstr("tile 0"));
}

TEST_F(FitsCompressed, TilesOfFewerBytesThanTheHeaderSaysAreFound) {
  const std::string floats = compressed_file({.method = GZIP_1}, -32, TFLOAT, {width, height}, sky<float>());
  const FitsImage image = open(with(floats, "ZBITPIX =                  -32", "ZBITPIX =                  -64"));
  EXPECT_THROW(stored_pixels<double>(image.plane(1)), Error);
}

}  // namespace
}  // namespace srcextract::testing
