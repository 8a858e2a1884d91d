#include "io/catalog/segmentation.hpp"

#include <fitsio.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

const CatalogMetadata brief_metadata = {"1.2.3", "{}\n"};

/// A label map and the runs that it has.
struct Map {
  Shape shape;
  std::vector<std::int32_t> pixels;
  Runs<Cpu> runs;
  Buffer<std::int32_t, Cpu> label;
};

template <class T>
Buffer<T, Cpu> buffer(const std::vector<T>& values) {
  Buffer<T, Cpu> out(static_cast<std::int64_t>(values.size()), Cpu{});
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

/// Finds the runs of equal labels; `dropped` is a label whose pixels are foreground but in no source.
Map map_of(Shape shape, std::vector<std::int32_t> pixels, std::int32_t dropped = -1) {
  std::vector<Run> runs;
  std::vector<std::int64_t> row_begin = {0};
  std::vector<std::int32_t> label;
  for (std::int64_t y = 0; y < shape.height; ++y) {
    const std::int32_t* row = pixels.data() + y * shape.width;
    for (std::int64_t x = 0, end; x < shape.width; x = end) {
      for (end = x + 1; end < shape.width && row[end] == row[x];) ++end;
      if (row[x] == 0) continue;
      runs.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x), static_cast<std::int32_t>(end)});
      label.push_back(row[x] == dropped ? 0 : row[x]);
    }
    row_begin.push_back(static_cast<std::int64_t>(runs.size()));
  }
  std::replace(pixels.begin(), pixels.end(), dropped, 0);
  return {shape, std::move(pixels), {shape, buffer(runs), buffer(row_begin)}, buffer(label)};
}

Map random_map(Shape shape) {
  std::mt19937 random(static_cast<unsigned>(shape.width * 31 + shape.height));
  std::vector<std::int32_t> pixels(static_cast<std::size_t>(shape.count()));
  std::int32_t label = 0;
  for (std::int32_t& pixel : pixels) {
    if (random() % 3 == 0) label = random() % 2 ? 0 : static_cast<std::int32_t>(random() >> 1);
    pixel = label;
  }
  return map_of(shape, std::move(pixels));
}

struct ReadBack {
  int status = 0, hdus = 0, compressed = 0, bitpix = 0;
  std::vector<LONGLONG> axes = {0, 0};
  std::vector<std::int32_t> pixels;
  std::string header;
};

ReadBack read_back(const std::string& path) {
  ReadBack out;
  fitsfile* file = nullptr;
  int naxis = 0;
  fits_open_diskfile(&file, path.c_str(), READONLY, &out.status);
  fits_get_num_hdus(file, &out.hdus, &out.status);
  fits_movabs_hdu(file, 2, nullptr, &out.status);
  out.compressed = fits_is_compressed_image(file, &out.status);
  fits_get_img_paramll(file, 2, &out.bitpix, &naxis, out.axes.data(), &out.status);
  out.pixels.resize(static_cast<std::size_t>(out.axes[0] * out.axes[1]));
  fits_read_img(file, TINT, 1, out.axes[0] * out.axes[1], nullptr, out.pixels.data(), nullptr, &out.status);
  char* cards = nullptr;
  int count = 0;
  fits_hdr2str(file, 0, nullptr, 0, &cards, &count, &out.status);
  if (cards) out.header = cards;
  fits_free_memory(cards, &out.status);
  fits_close_file(file, &out.status);
  return out;
}

std::string header(const std::vector<std::string>& cards) {
  std::string out;
  for (std::string card : cards) {
    card.resize(80, ' ');
    out += card;
  }
  return out;
}

const std::string image_header = header({"SIMPLE  =                    T", "BITPIX  =                  -32",
                                         "NAXIS   =                    3", "NAXIS1  =                   40",
                                         "NAXIS2  =                   30", "NAXIS3  =                    1",
                                         "BUNIT   = 'JY/BEAM '",           "CTYPE1  = 'RA---TAN-SIP'",
                                         "CTYPE2  = 'DEC--TAN-SIP'",       "CTYPE3  = 'FREQ    '",
                                         "CRVAL1  =                 12.5", "CRVAL2  =                60.25",
                                         "CRVAL3  =                6.1E8", "CRPIX1  =                 20.0",
                                         "CRPIX2  =                 15.0", "CUNIT1  = 'deg     '",
                                         "CUNIT2  = 'deg     '",           "CD1_1   =               -0.001",
                                         "CD1_2   =                  0.0", "CD1_3   =                  0.0",
                                         "CD2_1   =                  0.0", "CD2_2   =                0.001",
                                         "CD3_3   =                  1.0", "A_ORDER =                    2",
                                         "A_2_0   =               1.0E-5", "B_ORDER =                    2",
                                         "B_0_2   =              2.0E-05", "RADESYS = 'FK5     '",
                                         "EQUINOX =               2000.0", "DATE-OBS= '2001-01-01'",
                                         "OBSERVER= 'someone '",           "END"});

class SegmentationShape : public ::testing::TestWithParam<std::pair<int, int>> {
 protected:
  Shape shape() const { return {GetParam().first, GetParam().second}; }
};
INSTANTIATE_TEST_SUITE_P(Shapes, SegmentationShape,
                         ::testing::Values(std::pair(1, 1), std::pair(1, 1000), std::pair(1000, 1), std::pair(1, 70000),
                                           std::pair(100000, 3), std::pair(31, 33), std::pair(255, 257),
                                           std::pair(257, 255), std::pair(300, 700)));

TEST_P(SegmentationShape, GivesEveryLabelBack) {
  TemporaryFolder directory;
  const Map map = random_map(shape());
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  const ReadBack found = read_back(directory / "sky.seg.fits");
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(found.hdus, 2);
  EXPECT_TRUE(found.compressed);
  EXPECT_EQ(found.bitpix, 32);
  EXPECT_EQ(found.axes[0], shape().width);
  EXPECT_EQ(found.axes[1], shape().height);
  EXPECT_EQ(found.pixels, map.pixels);
}

TEST_P(SegmentationShape, FitsverifyHasNothingToSay) {
  SRCEXTRACT_NEEDS_PEER(testing::have_fitsverify(), "no fitsverify");
  TemporaryFolder directory;
  const Map map = random_map(shape());
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  const auto [status, output] = testing::run_command("fitsverify '" + (directory / "sky.seg.fits") + "'");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(output, HasSubstr("found 0 warning(s) and 0 error(s)"));
}

TEST(SegmentationTest, ComponentsBelowTheMinimumAreaAreNoSource) {
  TemporaryFolder directory;
  const Map map = map_of({5, 2}, {1, 1, 0, 9, 0, 0, 9, 9, 0, 2}, 9);
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  EXPECT_THAT(read_back(directory / "sky.seg.fits").pixels, ::testing::ElementsAre(1, 1, 0, 0, 0, 0, 0, 0, 0, 2));
}

TEST(SegmentationTest, WithoutSourcesItIsAllZero) {
  TemporaryFolder directory;
  const Map map = map_of({700, 300}, std::vector<std::int32_t>(210000, 0));
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, "", brief_metadata).commit();
  EXPECT_EQ(read_back(directory / "sky.seg.fits").pixels, std::vector<std::int32_t>(210000, 0));
  EXPECT_LT(std::filesystem::file_size(directory / "sky.seg.fits"), 30000u);
}

TEST(SegmentationTest, RowsWiderThanATileKeepTheirLabels) {
  TemporaryFolder directory;
  const std::int64_t width = 3'000'000;
  std::vector<std::int32_t> pixels(static_cast<std::size_t>(2 * width), 0);
  const auto paint = [&](std::int64_t begin, std::int64_t end, std::int32_t label) {
    std::fill(pixels.begin() + begin, pixels.begin() + end, label);
  };
  paint(0, 1, 1);
  paint((1 << 20) - 3, (1 << 20) + 3, 2);              // across a boundary
  paint((1 << 20) + 4, (1 << 21) + 5, 3);              // a whole tile, and across two
  paint(width - 1, width, 4);                          // last of a row ...
  paint(width + (1 << 20), width + (1 << 20) + 1, 5);  // ... and first of a tile
  const Map map = map_of({width, 2}, pixels);
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, "", brief_metadata).commit();
  const ReadBack found = read_back(directory / "sky.seg.fits");
  EXPECT_EQ(found.status, 0);
  EXPECT_TRUE(found.pixels == pixels);
}

TEST(SegmentationTest, ARowOfMoreBytesThanAnIntCountsIsWrittenInLittleMemory) {
  TemporaryFolder directory;
  const std::int32_t width = 550'000'000;
  const std::vector<srcextract::Run> runs = {{0, 5, 8}, {0, width - 1, width}};
  const std::vector<std::int64_t> row_begin = {0, 2};
  const std::vector<std::int32_t> label = {1, 2};
  write_segmentation(directory / "sky.seg.fits", {{width, 1}, buffer(runs), buffer(row_begin)}, buffer(label), "",
                     brief_metadata)
      .commit();
  fitsfile* file = nullptr;
  int status = 0;
  fits_open_diskfile(&file, (directory / "sky.seg.fits").c_str(), READONLY, &status);
  fits_movabs_hdu(file, 2, nullptr, &status);
  std::vector<std::int32_t> first(10), last(3);
  fits_read_img(file, TINT, 1, 10, nullptr, first.data(), nullptr, &status);
  fits_read_img(file, TINT, width - 2, 3, nullptr, last.data(), nullptr, &status);
  fits_close_file(file, &status);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(first, ::testing::ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 0, 0));
  EXPECT_THAT(last, ::testing::ElementsAre(0, 0, 2));
}

TEST(SegmentationTest, KeepsOneWcsCardAKeyword) {
  TemporaryFolder directory;
  const Map map = random_map({4, 3});
  const std::string twice = header({"CTYPE1  = 'RA---TAN'", "CRVAL1  =                 12.5", "CTYPE1  = 'RA---TAN'",
                                    "CRVAL1  =               1.25E1", "EQUINOX = '2000.0  '"});
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, twice, brief_metadata).commit();
  const std::string cards = read_back(directory / "sky.seg.fits").header;
  EXPECT_EQ(cards.find("CTYPE1"), cards.rfind("CTYPE1"));
  EXPECT_EQ(cards.find("CRVAL1"), cards.rfind("CRVAL1"));
  EXPECT_THAT(cards, HasSubstr("CRVAL1  =                 12.5"));
  EXPECT_THAT(cards, HasSubstr("EQUINOX =               2000.0 "));
}

TEST(SegmentationTest, CarriesTheHeaderAndOfTheWcsWhatIsCelestial) {
  TemporaryFolder directory;
  const Map map = random_map({40, 30});
  const std::string primary =
      header({"TELESCOP= 'WSRT    '", "OBSERVER= 'nobody  '", "EXTEND  =                    T"});
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, image_header, brief_metadata, primary).commit();
  const std::string cards = read_back(directory / "sky.seg.fits").header;
  for (const char* card :
       {"OBSERVER= 'someone '", "DATE-OBS= '2001-01-01'", "TELESCOP= 'WSRT    '", "CTYPE1  = 'RA---TAN-SIP'",
        "CTYPE2  = 'DEC--TAN-SIP'", "CRVAL1  =                 12.5", "CRPIX2  =                 15.0",
        "CUNIT1  = 'deg     '", "CD1_1   =               -0.001", "CD2_2   =                0.001",
        "A_ORDER =                    2", "B_0_2   =              2.0E-05", "RADESYS = 'FK5     '",
        "EQUINOX =               2000.0", "EXTNAME = 'SEGMENTATION'", "CREATOR = 'srcextract 1.2.3'"}) {
    EXPECT_THAT(cards, HasSubstr(card));
  }
  for (const char* name : {"CTYPE3", "CRVAL3", "CD1_3", "CD3_3", "BUNIT", "nobody", "NAXIS3"}) {
    EXPECT_THAT(cards, Not(HasSubstr(name)));
  }
}

TEST(SegmentationTest, WcsThatIsNotReadAsAWholeIsLeftOut) {
  TemporaryFolder directory;
  const Map map = random_map({4, 3});
  const std::string damaged = header({"CTYPE1  = 'RA---TAN", "CRVAL1  = 12..5", "CRVAL2  =                  1.5"});
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, damaged, brief_metadata).commit();
  const ReadBack found = read_back(directory / "sky.seg.fits");
  EXPECT_EQ(found.pixels, map.pixels);
  EXPECT_THAT(found.header, Not(HasSubstr("CRVAL")));
  EXPECT_THAT(found.header, Not(HasSubstr("CTYPE1")));
}

TEST(SegmentationTest, TheSameMapGivesTheSameBytes) {
  TemporaryFolder directory;
  const Map map = random_map({400, 300});
  write_segmentation(directory / "one.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  write_segmentation(directory / "two.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  EXPECT_EQ(testing::read_file(directory / "one.seg.fits"), testing::read_file(directory / "two.seg.fits"));
}

TEST(SegmentationTest, WhatTheMemoryHeldBeforeDoesNotMatter) {
  TemporaryFolder directory;
  const Map map = random_map({400, 300});
  write_segmentation(directory / "one.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  mallopt(M_PERTURB, 0x55);  // malloc gives memory full of 0xaa
  write_segmentation(directory / "two.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  mallopt(M_PERTURB, 0);
  EXPECT_EQ(testing::read_file(directory / "one.seg.fits"), testing::read_file(directory / "two.seg.fits"));
}

TEST(SegmentationTest, AMissingDirectorySaysSo) {
  const Map map = random_map({4, 3});
  TemporaryFolder directory;
  const std::string path = directory / "missing/sky.seg.fits";
  try {
    write_segmentation(path, map.runs, map.label, image_header, brief_metadata).commit();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(), HasSubstr(path));
  }
}

TEST(SegmentationTest, AstropyReadsTheLabelsAndTheWcs) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  TemporaryFolder directory;
  const Map map = map_of({4, 2}, {0, 1, 1, 0, 2, 0, 0, 3});
  write_segmentation(directory / "sky.seg.fits", map.runs, map.label, image_header, brief_metadata).commit();
  const auto [status, output] = testing::run_python(directory, R"(
import sys, warnings
from astropy.io import fits
from astropy.wcs import WCS
warnings.filterwarnings('ignore', "'datfix'")  # DATE-OBS of the image has no MJD-OBS beside it
with fits.open(sys.argv[1]) as hdus:
    hdu = hdus['SEGMENTATION']
    print(hdu.data.tolist())
    print('%.9f %.9f' % tuple(float(v) for v in WCS(hdu.header).all_pix2world(20, 15, 1)))
)",
                                                    directory / "sky.seg.fits");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(output, "[[0, 1, 1, 0], [2, 0, 0, 3]]\n12.500000000 60.250000000\n");
}

}  // namespace
}  // namespace srcextract
