#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <thread>

#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/compressed_fixture.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/stored_pixels.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(FitsCompressed, IntegersAreLossless) {
  for (int method : {RICE_1, GZIP_1, GZIP_2, HCOMPRESS_1, PLIO_1}) {
    SCOPED_TRACE(method);
    const Compression rows{.method = method, .tile = {width, method == HCOMPRESS_1 ? 8 : 1}};
    const Compression squares{.method = method, .tile = {16, 10}};
    for (const Compression& how : {rows, squares}) {
      expect_lossless(how, 16, TSHORT, sky<std::int16_t>());
      expect_lossless(how, 32, TINT, sky<std::int32_t>());
      std::vector<std::uint8_t> bytes = sky<std::uint8_t>();
      expect_lossless(how, 8, TBYTE, bytes);
    }
  }
}

TEST_F(FitsCompressed, ExtremeIntegers) {
  std::vector<std::int32_t> wide = sky<std::int32_t>();
  wide[3] = std::numeric_limits<std::int32_t>::max();
  wide[4] = std::numeric_limits<std::int32_t>::min();
  expect_lossless({.method = RICE_1}, 32, TINT, wide);
  std::vector<std::int16_t> narrow = sky<std::int16_t>();
  narrow[3] = 32767;
  narrow[4] = -32768;
  for (int method : {RICE_1, GZIP_1, GZIP_2}) expect_lossless({.method = method}, 16, TSHORT, narrow);
}

TEST_F(FitsCompressed, LosslessFloats) {
  std::vector<float> floats = sky<float>();
  floats[7] = -INFINITY;
  std::vector<double> doubles(floats.begin(), floats.end());
  doubles[8] = 1 / 3.;
  for (int method : {GZIP_1, GZIP_2}) {
    expect_lossless({.method = method, .tile = {16, 10}}, -32, TFLOAT, floats);
    expect_lossless({.method = method}, -64, TDOUBLE, doubles);
  }
}

TEST_F(FitsCompressed, ScalingAndBlankAreLeftToTheCaller) {
  Compression how{.method = RICE_1, .keywords = {{"BSCALE", 0.25}, {"BZERO", 1000.5}, {"BLANK", -99}}};
  std::vector<std::int16_t> pixels = sky<std::int16_t>();
  pixels[5] = -99;
  for (int method : {RICE_1, GZIP_1}) {
    how.method = method;
    expect_lossless(how, 16, TSHORT, pixels);
    const PixelFormat format = open(compressed_file(how, 16, TSHORT, {width, height}, pixels)).plane(1).format;
    EXPECT_EQ(format.bscale, 0.25);
    EXPECT_EQ(format.bzero, 1000.5);
    EXPECT_EQ(format.blank, -99);
  }
}

// The stored number of an unsigned 16-bit value v is v - 32768, whatever the method keeps in its tiles.
TEST_F(FitsCompressed, UnsignedConventionGivesStoredNumbers) {
  for (int method : {RICE_1, GZIP_1, GZIP_2, PLIO_1, HCOMPRESS_1}) {
    std::vector<std::uint16_t> pixels = sky<std::uint16_t>();
    pixels[2] = 0;
    pixels[3] = method == PLIO_1 ? 32767 : 65535;
    const Compression how{.method = method, .tile = {width, method == HCOMPRESS_1 ? 8 : 1}};
    const FitsImage image = open(compressed_file(how, USHORT_IMG, TUSHORT, {width, height}, pixels));
    const PixelSource source = image.plane(1);
    EXPECT_EQ(source.format.bzero, 32768.0);
    const std::vector<std::int16_t> stored = stored_pixels<std::int16_t>(source);
    for (std::size_t i = 0; i < stored.size(); ++i) ASSERT_EQ(stored[i], pixels[i] - 32768) << method << " " << i;
  }
}

TEST_F(FitsCompressed, QuantisedFloatsAreNearAndNullsAreNan) {
  for (int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2}) {
    for (int method : {RICE_1, GZIP_1, HCOMPRESS_1}) {
      if (method == HCOMPRESS_1 && dither == SUBTRACTIVE_DITHER_2) continue;  // CFITSIO does not write these
      std::vector<float> pixels = sky<float>();
      pixels[11] = null_pixel;
      pixels[40] = 0;
      // A negative level is the step itself.
      const Compression how{
          .method = method, .tile = {width, method == HCOMPRESS_1 ? 8 : 1}, .quantize = -0.5f, .dither = dither};
      const FitsImage image = open(compressed_file(how, -32, TFLOAT, {width, height}, pixels));
      const std::vector<float> read = stored_pixels<float>(image.plane(1));
      for (std::size_t i = 0; i < read.size(); ++i) {
        if (i == 11) {
          EXPECT_TRUE(std::isnan(read[i])) << method << " " << dither;
        } else {
          ASSERT_NEAR(read[i], pixels[i], 0.51) << method << " " << dither << " " << i;
        }
      }
      if (dither == SUBTRACTIVE_DITHER_2) {
        EXPECT_EQ(read[40], 0.f);
      }
    }
  }
}

TEST_F(FitsCompressed, QuantisedDoubles) {
  std::vector<double> pixels = sky<double>();
  pixels[11] = null_pixel;
  const Compression how{.method = RICE_1, .quantize = -0.5f, .dither = SUBTRACTIVE_DITHER_1};
  const std::vector<double> read =
      stored_pixels<double>(open(compressed_file(how, -64, TDOUBLE, {width, height}, pixels)).plane(1));
  EXPECT_TRUE(std::isnan(read[11]));
  EXPECT_NEAR(read[12], pixels[12], 0.51);
}

TEST_F(FitsCompressed, PlanesOfACubeWithDegenerateAxes) {
  const std::vector<std::int16_t> pixels = sky<std::int16_t>(288);
  const FitsImage image = open(compressed_file({.method = RICE_1}, 16, TSHORT, {8, 6, 3, 2}, pixels));
  EXPECT_THAT(image.axes(), ElementsAre(8, 6, 3, 2));
  for (std::int64_t plane = 1; plane <= 6; ++plane) {
    const auto begin = pixels.begin() + (plane - 1) * 48;
    EXPECT_EQ(stored_pixels<std::int16_t>(image.plane(plane)), std::vector<std::int16_t>(begin, begin + 48));
  }
  EXPECT_THROW(image.plane(7), Error);
}

TEST_F(FitsCompressed, OneAxis) {
  const std::vector<std::int32_t> pixels = sky<std::int32_t>(1000);
  const FitsImage image = open(compressed_file({.method = RICE_1, .tile = {300}}, 32, TINT, {1000}, pixels));
  EXPECT_EQ(image.plane(1).shape, (Shape{1000, 1}));
  EXPECT_EQ(stored_pixels<std::int32_t>(image.plane(1)), pixels);
}

TEST_F(FitsCompressed, HeaderIsThatOfTheImage) {
  const Compression how{.method = RICE_1, .keywords = {{"CRVAL1", 12.5}}};
  const std::string header = open(compressed_file(how, 16, TSHORT, {width, height}, sky<std::int16_t>())).header();
  EXPECT_EQ(header.size() % 80, 0u);
  EXPECT_THAT(header, AllOf(HasSubstr("XTENSION= 'IMAGE   '"), HasSubstr("BITPIX  =                   16"),
                            HasSubstr("NAXIS1  =                   37"), HasSubstr("NAXIS2  =                   29"),
                            HasSubstr("CRVAL1  =                 12.5")));
  EXPECT_THAT(header, AllOf(Not(HasSubstr("BINTABLE")), Not(HasSubstr("ZNAXIS")), Not(HasSubstr("TFORM1"))));
  EXPECT_EQ(header.substr(header.size() - 80), "END" + std::string(77, ' '));
}

TEST_F(FitsCompressed, DatasumIsThatOfTheTable) {
  const std::string bytes = compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, sky<std::int16_t>());
  const std::size_t card = bytes.rfind("DATASUM = ");
  ASSERT_NE(card, std::string::npos);
  EXPECT_EQ(open(bytes).datasum(1), std::stoul(bytes.substr(bytes.find('\'', card) + 1)));
}

TEST_F(FitsCompressed, MissingLastPaddingAndTruncation) {
  const std::vector<std::int16_t> pixels = sky<std::int16_t>();
  std::string bytes = compressed_file({.method = RICE_1}, 16, TSHORT, {width, height}, pixels);
  const std::size_t end = bytes.find_last_not_of('\0') + 1;
  ASSERT_LT(end, bytes.size());
  bytes.resize(end + 4);  // the last bytes of the data may be zeros, but not that many
  EXPECT_EQ(stored_pixels<std::int16_t>(open(bytes).plane(1)), pixels);
  bytes.resize(end - 100);
  try {
    open(bytes);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("truncated"));
  }
}

TEST_F(FitsCompressed, SeveralImagesAndThreadsAtOnce) {
  const std::vector<std::int16_t> pixels = sky<std::int16_t>();
  std::vector<FitsImage> images;
  for (int method : {RICE_1, GZIP_1, HCOMPRESS_1}) {
    const Compression how{.method = method, .tile = {width, 8}};
    images.push_back(open(compressed_file(how, 16, TSHORT, {width, height}, pixels)));
  }
  std::vector<std::vector<std::int16_t>> read(12);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < read.size(); ++i) {
    threads.emplace_back([&, i] { read[i] = stored_pixels<std::int16_t>(images[i % 3].plane(1)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : read) EXPECT_EQ(one, pixels);
}

// CFITSIO keeps from one HDU to the next that floats were not quantised.
TEST_F(FitsCompressed, QuantisedFloatsBehindLosslessOnes) {
  const std::vector<float> pixels = sky<float>();
  const std::string lossless = compressed_file({.method = GZIP_1}, -32, TFLOAT, {width, height}, pixels);
  const Compression how{.method = RICE_1, .quantize = -0.5f, .dither = SUBTRACTIVE_DITHER_1};
  const std::string quantised = compressed_file(how, -32, TFLOAT, {width, height}, pixels);
  write_file(directory / "a.fits.fz", lossless + quantised.substr(2880));
  const std::vector<FitsImage> images = open_fits_images(directory / "a.fits.fz", "all");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(stored_pixels<float>(images[0].plane(1)), pixels);
  const std::vector<float> read = stored_pixels<float>(images[1].plane(1));
  for (std::size_t i = 0; i < read.size(); ++i) ASSERT_NEAR(read[i], pixels[i], 0.51) << i;
}

constexpr const char* make_peer_files = R"(
import sys, numpy as np
import inspect
from astropy.io import fits
rng = np.random.default_rng(11)
base = rng.normal(300, 20, (41, 53))
nan = base.astype(np.float32); nan[3, 4] = np.nan; nan[5, 6] = 0
images = {
    'rice16': (base.astype(np.int16), dict(compression_type='RICE_1')),
    'rice32': (base.astype(np.int32) * 1000, dict(compression_type='RICE_1', tile_shape=(7, 9))),
    'rice8': (base.astype(np.uint8), dict(compression_type='RICE_1')),
    'gzip1': (base.astype(np.int32), dict(compression_type='GZIP_1')),
    'gzip2': (nan, dict(compression_type='GZIP_2', quantize_level=0)),
    'plio': (base.astype(np.int16), dict(compression_type='PLIO_1')),
    'hcomp': (base.astype(np.int16), dict(compression_type='HCOMPRESS_1')),
    'hcomp_smooth': (base.astype(np.int16), dict(compression_type='HCOMPRESS_1', hcomp_scale=2.5, hcomp_smooth=True)),
    'plain_quantised': (nan, dict(compression_type='RICE_1', quantize_method=-1)),
    'dither1': (nan, dict(compression_type='RICE_1', quantize_method=1, dither_seed=42)),
    'dither2': (nan, dict(compression_type='RICE_1', quantize_method=2, dither_seed=42)),
    'double': (base, dict(compression_type='RICE_1', quantize_method=1, dither_seed=1)),
}
for name, (data, how) in images.items():
    if 'tile_shape' in how and 'tile_shape' not in inspect.signature(fits.CompImageHDU.__init__).parameters:
        how['tile_size'] = tuple(reversed(how.pop('tile_shape')))
    path = sys.argv[1] + '/' + name
    fits.CompImageHDU(data, **how).writeto(path + '.fits')
    with fits.open(path + '.fits') as back:
        decoded = back[1].data
        assert decoded.shape == data.shape
        decoded.astype(decoded.dtype.newbyteorder('=')).tofile(path + '.raw')
)";

TEST_F(FitsCompressed, AgreesWithAstropy) {
  SRCEXTRACT_NEEDS_PEER(have_astropy(), "no astropy");
  const auto [status, output] = run_python(directory, make_peer_files, directory.string());
  ASSERT_EQ(status, 0) << output;
  int compared = 0;
  for (const std::string& name : directory.names()) {
    if (!name.ends_with(".raw")) continue;
    SCOPED_TRACE(name);
    const std::string expected = read_file(directory / name);
    const std::string path = directory / (name.substr(0, name.size() - 4) + ".fits");
    const std::vector<FitsImage> images = open_fits_images(path, "auto");
    const PixelSource source = images.at(0).plane(1);
    std::string read(static_cast<std::size_t>(source.shape.count() * source.format.bytes()), '\0');
    source.read(0, source.shape.count(), reinterpret_cast<std::byte*>(read.data()));
    EXPECT_EQ(source.shape, (Shape{53, 41}));
    EXPECT_EQ(read.size(), expected.size());
    EXPECT_TRUE(read == expected);
    ++compared;
  }
  EXPECT_EQ(compared, 12);
}

}  // namespace
}  // namespace srcextract::testing
