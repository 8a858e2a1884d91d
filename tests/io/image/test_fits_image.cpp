#include "io/image/fits_image.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <thread>

#include "stages/core/error.hpp"
#include "tests/io/support/fits_image_fixture.hpp"
#include "tests/io/support/gzip_member.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/stored_pixels.hpp"
#include "tests/support/fits_writer.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST_F(FitsImageTest, ReadsEveryBitpixAsStored) {
  expect_stored<std::uint8_t>(8, {0, 1, 2, 127, 128, 255});
  expect_stored<std::int16_t>(16, {0, 1, -1, 258, 32767, -32768});
  expect_stored<std::int32_t>(32, {0, 1, -1, 16909060, 2147483647, -2147483647 - 1});
  expect_stored<std::int64_t>(64, {0, 1, -1, 72623859790382856, INT64_MAX, INT64_MIN});
  expect_stored<float>(-32, {0.f, -1.5f, 3.25e30f, 1e-40f, INFINITY, -INFINITY});
  expect_stored<double>(-64, {0., -1.5, 3.25e300, 1e-310, INFINITY, -INFINITY});
}

TEST_F(FitsImageTest, KeepsTheBitsOfANan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const FitsImage image = open_one(write("a.fits", image_hdu(-32, {2}, big_endian<float>({nan, 2.f}))));
  const std::vector<float> pixels = stored_pixels<float>(image.plane(1));
  EXPECT_TRUE(std::isnan(pixels[0]));
  EXPECT_EQ(pixels[1], 2.f);
}

TEST_F(FitsImageTest, TellsScalingAndBlankOfIntegers) {
  const std::string pixels = big_endian<std::int16_t>({1, -32768});
  const FitsImage image = open_one(
      write("a.fits", image_hdu(16, {2, 1}, pixels, {{"BSCALE", "0.5"}, {"BZERO", "3.2768D4"}, {"BLANK", "-32768"}})));
  const PixelFormat format = image.plane(1).format;
  EXPECT_EQ(format.bscale, 0.5);
  EXPECT_EQ(format.bzero, 32768.0);
  EXPECT_EQ(format.blank, -32768);
  EXPECT_EQ(format.bytes(), 2);
}

TEST_F(FitsImageTest, UnsignedConventionKeepsTheStoredNumbers) {
  const FitsImage image = open_one(
      write("a.fits", image_hdu(64, {1}, big_endian<std::int64_t>({INT64_MIN}), {{"BZERO", "9223372036854775808"}})));
  EXPECT_EQ(image.plane(1).format.bzero, 9223372036854775808.0);
  EXPECT_THAT(stored_pixels<std::int64_t>(image.plane(1)), ElementsAre(INT64_MIN));
}

TEST_F(FitsImageTest, BlankMeansNothingForFloats) {
  const FitsImage image = open_one(write("a.fits", image_hdu(-32, {1}, big_endian<float>({5}), {{"BLANK", "5"}})));
  EXPECT_FALSE(image.plane(1).format.blank);
}

TEST_F(FitsImageTest, OneAxisIsOneRow) {
  const FitsImage image = open_one(write("a.fits", image_hdu(8, {4}, "abcd")));
  EXPECT_EQ(image.plane(1).shape, (Shape{4, 1}));
  EXPECT_THAT(stored_pixels<char>(image.plane(1)), ElementsAre('a', 'b', 'c', 'd'));
}

TEST_F(FitsImageTest, PlanesCountThroughAllHigherAxes) {
  const std::string bytes = "abcdefghijkl";
  const FitsImage image = open_one(write("a.fits", image_hdu(8, {2, 1, 3, 2}, bytes)));
  EXPECT_THAT(image.axes(), ElementsAre(2, 1, 3, 2));
  EXPECT_THAT(stored_pixels<char>(image.plane(1)), ElementsAre('a', 'b'));
  EXPECT_THAT(stored_pixels<char>(image.plane(4)), ElementsAre('g', 'h'));
  EXPECT_THAT(stored_pixels<char>(image.plane(6)), ElementsAre('k', 'l'));
}

TEST_F(FitsImageTest, SelectsHdus) {
  const std::string path = write("a.fits", fits_header(image_cards(8, {})) + table_hdu("CAT") +
                                               image_hdu(8, {1}, "s", {{"EXTNAME", "'Sci     '"}}, Place::extension) +
                                               image_hdu(8, {1}, "e", {{"EXTNAME", "'ERR'"}}, Place::extension) +
                                               image_hdu(8, {0, 3}, "", {{"EXTNAME", "'NONE'"}}, Place::extension));
  EXPECT_EQ(open_one(path).hdu(), 2);
  EXPECT_EQ(open_one(path, "3").hdu(), 3);
  EXPECT_EQ(open_one(path, "err").hdu(), 3);
  const FitsImage sci = open_one(path, "SCI");
  EXPECT_EQ(sci.hdu(), 2);
  EXPECT_EQ(sci.extname(), "Sci");
  EXPECT_FALSE(sci.compressed());
  const std::vector<FitsImage> all = open_fits_images(path, "all");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(stored_pixels<char>(all[0].plane(1)), ElementsAre('s'));
  EXPECT_THAT(stored_pixels<char>(all[1].plane(1)), ElementsAre('e'));
}

TEST_F(FitsImageTest, SelectsByPatternListAndVersion) {
  const auto sci = [](const std::string& name, const std::string& version) {
    std::vector<std::pair<std::string, std::string>> cards = {{"EXTNAME", "'" + name + "'"}};
    if (!version.empty()) cards.emplace_back("EXTVER", version);
    return image_hdu(8, {1}, "s", cards, Place::extension);
  };
  const std::string path = write("a.fits", fits_header(image_cards(8, {})) + sci("SCI", "1") + sci("SCI", "2") +
                                               table_hdu("SCICAT") + sci("SCI2", "") + sci("aab,2", "7"));
  const auto numbers = [&](const HduNames& names) {
    std::vector<int> hdus;
    for (const SelectedImage& image : select_images(path, names)) hdus.push_back(image.hdu);
    return hdus;
  };
  EXPECT_THAT(numbers("sci*"), ElementsAre(1, 2, 4));
  EXPECT_THAT(numbers("SCI"), ElementsAre(1));
  EXPECT_THAT(numbers("SCI,2"), ElementsAre(2));
  EXPECT_THAT(numbers("SCI2,1"), ElementsAre(4));
  EXPECT_THAT(numbers("SCI?"), ElementsAre(4));
  EXPECT_THAT(numbers("*,*"), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(numbers("aab,2"), ElementsAre(5));
  EXPECT_THAT(numbers("aab,2,7"), ElementsAre(5));
  EXPECT_THAT(numbers("*a*b,?"), ElementsAre(5));
  EXPECT_THAT(numbers(std::vector<std::string>{"5", "SCI", "SCI,2", "1"}), ElementsAre(1, 2, 5));
  EXPECT_THROW(numbers("SCICAT"), Error);
  EXPECT_THROW(numbers("SCI,3"), Error);
  EXPECT_THROW(numbers(std::vector<std::string>{"SCI", "6"}), Error);
  // As many ways to share the name out as no computer could try.
  EXPECT_THROW(numbers(std::string(60, '*') + "x"), Error);
  std::string many;
  for (int i = 0; i < 30; ++i) many += "*a";
  EXPECT_THROW(numbers(many), Error);
}

TEST_F(FitsImageTest, ADamagedHeaderBehindPatternsIsTheLastImage) {
  const std::string path =
      write("a.fits", fits_header(image_cards(8, {})) +
                          image_hdu(8, {1}, "s", {{"EXTNAME", "'SCI'"}}, Place::extension) + "XTENSION" + far_end);
  for (const HduNames& names : {HduNames("SCI*"), HduNames(std::vector<std::string>{"SCI", "ERR*"})}) {
    const std::vector<SelectedImage> images = select_images(path, names);
    ASSERT_EQ(images.size(), 2u) << names.text();
    EXPECT_EQ(images[0].open().hdu(), 1);
    EXPECT_THROW(images[1].open(), Error);
  }
  EXPECT_THROW(select_images(path, std::vector<std::string>{"SCI", "ERR"}), Error);
  EXPECT_EQ(select_images(path, "SCI").size(), 1u);
}

TEST_F(FitsImageTest, GivesTheHeaderAsStored) {
  std::string odd = "HIERARCH ESO DET CHIP1 NAME = 'CCD-44' / na\xefve";
  odd.resize(80, ' ');
  std::string header = fits_header(image_cards(8, {1}, {{"CTYPE1", "'RA---TAN'"}}));
  header.replace(header.find("END  "), 80, odd);
  header.replace(header.find(odd) + 80, 3, "END");
  const FitsImage image = open_one(write("a.fits", header + fits_data("x")));
  EXPECT_EQ(image.header(), header.substr(0, header.find("END  ") + 80));
}

TEST_F(FitsImageTest, FileNamesAreOnlyFileNames) {
  for (const char* name : {"a[1].fits", "!x.fits", "http:__y.fits", "-", "stdin", "x|y.fits", "mem:", "a.fits[1:2,3:4]",
                           "b.fits(c.fits)", " spaced ", "file:__z", "gsiftp:a;b", "@list", "c.fits+1", "sh`id`"}) {
    write(name, image_hdu(8, {1}, "p", {{"EXTNAME", "'HERE'"}}));
    EXPECT_THAT(stored_pixels<char>(open_one(directory / name).plane(1)), ElementsAre('p')) << name;
  }
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.string());
  for (const char* name : {"-", "stdin", "mem:", "!x.fits", "@list"})
    EXPECT_EQ(open_one(name).extname(), "HERE") << name;
  std::filesystem::current_path(before);
}

TEST_F(FitsImageTest, ReadsGzippedFilesWhateverTheirName) {
  const std::string hdus =
      image_hdu(16, {300, 200}, big_endian(std::vector<std::int16_t>(60000, 77))) +
      image_hdu(-32, {2, 2}, big_endian<float>({1.f, 2.f, 3.f, 4.f}), {{"EXTNAME", "'B'"}}, Place::extension);
  const std::string path = write("a.fits", gzip_member(hdus.substr(0, 5000)) + gzip_member(hdus.substr(5000)) + "tail");
  const std::vector<FitsImage> images = open_fits_images(path, "all");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_TRUE(images[0].compressed());
  EXPECT_TRUE(images[0].plane(1).format.big_endian);
  EXPECT_EQ(stored_pixels<std::int16_t>(images[0].plane(1)), std::vector<std::int16_t>(60000, 77));
  EXPECT_THAT(stored_pixels<float>(images[1].plane(1)), ElementsAre(1.f, 2.f, 3.f, 4.f));
  const FitsImage plain = open_one(write("b.fits.gz", hdus), "0");
  EXPECT_FALSE(plain.compressed());
  EXPECT_EQ(plain.datasum(1), images[0].datasum(1));
}

TEST_F(FitsImageTest, LastPaddingMayBeMissing) {
  const std::string pixels = big_endian<std::int16_t>({1, 2, 3});
  const std::string whole = image_hdu(16, {3}, pixels);
  const FitsImage image = open_one(write("a.fits", whole.substr(0, 2880 + 6)));
  EXPECT_THAT(stored_pixels<std::int16_t>(image.plane(1)), ElementsAre(1, 2, 3));
  EXPECT_EQ(image.datasum(1), open_one(write("b.fits", whole)).datasum(1));
}

TEST_F(FitsImageTest, WhatFollowsTheLastHduIsIgnored) {
  const std::string whole = image_hdu(8, {1}, "x");
  for (const std::string& tail : {std::string(2880, '\0'), std::string(100, 'j'), std::string("\n")}) {
    EXPECT_EQ(open_fits_images(write("a.fits", whole + tail), "all").size(), 1u);
  }
}

// Sums of 32-bit words with the carries added back, worked by hand.
TEST_F(FitsImageTest, DatasumOfKnownWords) {
  const auto datasum = [&](const std::vector<std::uint32_t>& words) {
    return open_one(write("a.fits", image_hdu(32, {std::ssize(words)}, big_endian(words)))).datasum(1);
  };
  EXPECT_EQ(datasum({1, 2, 3}), 6u);
  EXPECT_EQ(datasum({0xffffffff, 2}), 2u);
  EXPECT_EQ(datasum({0x80000000, 0x80000000, 0x80000000}), 0x80000001u);
  EXPECT_EQ(datasum(std::vector<std::uint32_t>(1000000, 0xffffffff)), 0xffffffffu);
  EXPECT_EQ(open_one(write("b.fits", image_hdu(8, {5}, "\x01\x02\x03\x04\x10"))).datasum(1), 0x11020304u);
}

// Also where a plane is not a whole number of words: 3 bytes a plane.
TEST_F(FitsImageTest, DatasumOfAPlaneReadsThatPlaneAlone) {
  const std::string path = write("a.fits", image_hdu(8, {3, 1, 2}, std::string("\1\2\3\4\5\6", 6)) + far_end);
  const FitsImage image = open_one(path);
  EXPECT_EQ(image.datasum(1), 0x01020300u);
  EXPECT_EQ(image.datasum(2), 0x04050600u);
  EXPECT_THROW(image.datasum(3), Error);
  ASSERT_EQ(::truncate(path.c_str(), 2880 + 3), 0);
  EXPECT_EQ(image.datasum(1), 0x01020300u);
  EXPECT_THROW(image.datasum(2), Error);
}

// In pieces of any length, that begin and end within words; after that the file is not needed.
TEST_F(FitsImageTest, DatasumIsMadeWhileAPlaneIsRead) {
  std::string pixels;
  for (int i = 0; i < 2 * 1003; ++i) pixels += static_cast<char>(i * i % 251);
  const std::string path = write("a.fits", image_hdu(8, {17, 59, 2}, pixels) + far_end);
  const std::uint32_t expected = open_one(path).datasum(2);
  const FitsImage image = open_one(path);
  const PixelSource source = image.plane(2);
  for (const auto& [first, count] : {std::pair(1000, 3), std::pair(0, 5), std::pair(6, 994), std::pair(5, 1)}) {
    stored_pixels<char>(source, first, count);
  }
  stored_pixels<char>(source, 17, 34);  // a look at some rows again
  ASSERT_EQ(::truncate(path.c_str(), 2880), 0);
  EXPECT_EQ(image.datasum(2), expected);
  EXPECT_THROW(image.datasum(1), Error);
}

// Some rows are looked at first; after that and one reading the file is not needed.
TEST_F(FitsImageTest, ALookBeforeThePlaneIsReadDoesNotChangeTheDatasum) {
  const std::string path = write("a.fits", image_hdu(32, {4}, big_endian<std::int32_t>({1, 2, 3, 4})) + far_end);
  const FitsImage image = open_one(path);
  const PixelSource source = image.plane(1);
  stored_pixels<std::int32_t>(source, 1, 2);
  image.forget_reads(1);
  stored_pixels<std::int32_t>(source);
  ASSERT_EQ(::truncate(path.c_str(), 2880), 0);
  EXPECT_EQ(image.datasum(1), 10u);
}

TEST_F(FitsImageTest, DatasumIsThatOfThePlaneWhateverWasReadOfIt) {
  const std::string pixels = big_endian<std::int32_t>({1, 2, 3, 4});
  const FitsImage image = open_one(write("a.fits", image_hdu(32, {4}, pixels)));
  const PixelSource source = image.plane(1);
  stored_pixels<std::int32_t>(source, 0, 2);
  EXPECT_EQ(image.datasum(1), 10u);
  stored_pixels<std::int32_t>(source, 0, 2);
  EXPECT_EQ(image.datasum(1), 10u);
  stored_pixels<std::int32_t>(source);
  EXPECT_EQ(image.datasum(1), 10u);
}

TEST_F(FitsImageTest, SeveralThreadsReadAtOnce) {
  std::vector<std::int32_t> pixels(120000);
  std::iota(pixels.begin(), pixels.end(), -60000);
  const std::string path = write("a.fits", image_hdu(32, {400, 300}, big_endian(pixels)));
  const FitsImage image = open_one(path);
  const PixelSource source = image.plane(1);
  std::vector<std::vector<std::int32_t>> parts(8);
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] { parts[i] = stored_pixels<std::int32_t>(source, i * 15000, 15000); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::int32_t> together;
  for (const auto& part : parts) together.insert(together.end(), part.begin(), part.end());
  EXPECT_EQ(together, pixels);
}

TEST_F(FitsImageTest, ReadsBeyondFourGibibytesWithoutTouchingTheRest) {
  const std::string header = fits_header(image_cards(16, {50000, 50000}));
  const std::string path = write("huge.fits", header);
  constexpr std::int64_t last = std::int64_t{50000} * 50000 - 1;
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  const std::string pixels = big_endian<std::int16_t>({-5, 1234});
  ASSERT_EQ(::pwrite(descriptor, pixels.data(), 4, 2880 + 2 * (last - 1)), 4);
  ::close(descriptor);

  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const FitsImage image = open_one(path);
  EXPECT_THAT(stored_pixels<std::int16_t>(image.plane(1), last - 2, 3), ElementsAre(0, -5, 1234));
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100000) << "kB";
}

TEST_F(FitsImageTest, HdusThatCannotBeReadLeaveTheOthers) {
  const auto image = [](const std::string& value, const std::string& scale) {
    return image_hdu(8, {1}, value, {{"BSCALE", scale}, {"EXTNAME", "'" + value + "'"}}, Place::extension);
  };
  const std::string good = fits_header(image_cards(8, {})) + image("a", "1") + image("b", "0") + image("c", "1");
  const auto values = [&](const std::string& bytes) {
    std::string found;
    for (const SelectedImage& selected : select_images(write("a.fits", bytes), "all")) {
      try {
        found += stored_pixels<char>(selected.open().plane(1)).front();
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), StartsWith(selected.name));
        found += '!';
      }
    }
    return found;
  };
  EXPECT_EQ(values(good), "a!c");
  EXPECT_EQ(values(good + image("d", "1").replace(80, 30, fits_card("BITPIX", "17").substr(0, 30))), "a!c!");
  EXPECT_EQ(values(good + image("d", "1").substr(0, 2880)), "a!c!");
  EXPECT_EQ(select_images(directory / "a.fits", "all")[1].name, "HDU 2 'b' of " + (directory / "a.fits"));
}

TEST_F(FitsImageTest, ReadsRealImages) {
  const std::string data = testing::source_dir() + "/../shared/data/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared/data";
  const FitsImage sep = open_one(data + "sep/image.fits");
  EXPECT_THAT(sep.axes(), ElementsAre(256, 256));
  EXPECT_EQ(sep.plane(1).format.bitpix, 16);
  EXPECT_NE(sep.plane(1).format.bscale, 1.0);
  const FitsImage galaxies = open_one(data + "sextractor/galaxies.fits");
  EXPECT_THAT(galaxies.axes(), ElementsAre(1024, 1024));
  EXPECT_EQ(stored_pixels<std::int16_t>(galaxies.plane(1)).size(), 1024u * 1024u);
}

TEST_F(FitsImageTest, AgreesWithAstropy) {
  SRCEXTRACT_NEEDS_PEER(have_astropy(), "no astropy");
  const auto [status, output] = run_python(directory, R"(
import sys, numpy as np
from astropy.io import fits
rng = np.random.default_rng(3)
a = rng.integers(0, 65536, (31, 37)).astype(np.uint16)
b = rng.normal(size=(2, 13, 17)).astype(np.float32)
hdus = fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(a, name='U16'), fits.ImageHDU(b, name='F32')])
hdus.writeto(sys.argv[1], checksum=True)
second_plane = fits.ImageHDU(b[1])
second_plane.add_datasum()
with fits.open(sys.argv[1]) as back:
    print(back[1].header['DATASUM'], second_plane.header['DATASUM'], int(a[30, 36]), repr(float(b[1, 12, 16])))
)",
                                           directory / "peer.fits");
  ASSERT_EQ(status, 0) << output;
  std::istringstream expected(output);
  std::uint32_t sum1 = 0, sum2 = 0;
  int last1 = 0;
  double last2 = 0;
  ASSERT_TRUE(expected >> sum1 >> sum2 >> last1 >> last2) << output;
  const std::vector<FitsImage> images = open_fits_images(directory / "peer.fits", "all");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].datasum(1), sum1);
  EXPECT_EQ(images[1].datasum(2), sum2);
  EXPECT_EQ(images[0].plane(1).format.bzero, 32768);
  EXPECT_EQ(stored_pixels<std::int16_t>(images[0].plane(1)).back() + 32768, last1);
  EXPECT_EQ(stored_pixels<float>(images[1].plane(2)).back(), last2);
}

}  // namespace
}  // namespace srcextract::testing
