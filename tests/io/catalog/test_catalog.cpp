#include "io/catalog/catalog.hpp"

#include <fitsio.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/catalogs.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/random_sources.hpp"
#include "tests/support/usual_sources.hpp"
#include "tests/support/vector_columns.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::long_line;
using testing::metadata;
using ::testing::Pair;
using testing::read_file;
using testing::read_lines;
using testing::TemporaryFolder;
using testing::three_sources;
using testing::written;

/// Sources whose every value is a random bit pattern, NaN, infinities and negative zero among them.
Sources random_sources(std::size_t count, bool sky) {
  Sources sources = testing::random_sources(count, sky, count + sky);
  if (count > 4) {
    sources[columns::x_image][0] = std::numeric_limits<double>::quiet_NaN();
    sources[columns::x_image][1] = -std::numeric_limits<double>::quiet_NaN();
    sources[columns::x_image][2] = std::numeric_limits<double>::infinity();
    sources[columns::x_image][3] = -0.0;
    sources[columns::x_image][4] = std::numeric_limits<double>::denorm_min();
  }
  return sources;
}

template <class T>
int cfitsio_type() {
  if constexpr (std::is_same_v<T, std::int16_t>) return TSHORT;
  if constexpr (std::is_same_v<T, std::int32_t>) return TINT;
  if constexpr (std::is_same_v<T, std::int64_t>) return TLONGLONG;
  return TDOUBLE;
}

/// What CFITSIO finds in the first extension.
class FitsCatalog {
 public:
  explicit FitsCatalog(const std::string& path) {
    fits_open_diskfile(&file_, path.c_str(), READONLY, &status_);
    fits_movabs_hdu(file_, 2, &type_, &status_);
  }
  ~FitsCatalog() { fits_close_file(file_, &status_); }

  int type() const { return type_; }
  int hdus() {
    int count = 0;
    fits_get_num_hdus(file_, &count, &status_);
    return count;
  }
  std::int64_t rows() {
    LONGLONG count = -1;
    fits_get_num_rowsll(file_, &count, &status_);
    return count;
  }
  std::string text(const std::string& key) {
    char value[FLEN_VALUE] = "";
    fits_read_key(file_, TSTRING, key.c_str(), value, nullptr, &status_);
    return value;
  }
  std::string header() {
    char* cards = nullptr;
    int count = 0;
    fits_hdr2str(file_, 0, nullptr, 0, &cards, &count, &status_);
    std::string out = cards;
    fits_free_memory(cards, &status_);
    return out;
  }
  template <class T>
  std::vector<T> column(const std::string& name, std::int64_t length = 1) {
    int number = 0;
    std::string mutable_name = name;
    fits_get_colnum(file_, CASESEN, mutable_name.data(), &number, &status_);
    std::vector<T> values(static_cast<std::size_t>(rows() * length));
    if (!values.empty()) {
      fits_read_col(file_, cfitsio_type<T>(), number, 1, 1, rows() * length, nullptr, values.data(), nullptr, &status_);
    }
    return values;
  }
  int status() const { return status_; }

 private:
  fitsfile* file_ = nullptr;
  int type_ = 0;
  int status_ = 0;
};

/// Equal to the last bit.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

TEST(CatalogTest, ExtensionsAreThoseOfTheManual) {
  EXPECT_EQ(extension(CatalogFormat::fits), ".cat.fits");
  EXPECT_EQ(extension(CatalogFormat::ecsv), ".cat.ecsv");
  EXPECT_EQ(extension(CatalogFormat::csv), ".cat.csv");
  EXPECT_EQ(extension(CatalogFormat::votable), ".cat.vot");
  EXPECT_EQ(extension(CatalogFormat::votable_text), ".cat.xml");
  EXPECT_EQ(extension(CatalogFormat::reg), ".reg");
  EXPECT_EQ(extension(CatalogFormat::crtf), ".crtf");
  EXPECT_EQ(extension(CatalogFormat::ldac), ".cat.ldac");
  EXPECT_EQ(extension(CatalogFormat::ascii_head), ".cat.txt");
  EXPECT_EQ(extension(CatalogFormat::parquet), ".cat.parquet");
}

class CatalogSize : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sources, CatalogSize, ::testing::Values(0, 1, 2047, 2048, 2049, 100'000));

TEST_P(CatalogSize, FitsGivesTheSameBitsBack) {
  TemporaryFolder directory;
  for (bool sky : {false, true}) {
    const Sources sources = random_sources(GetParam(), sky);
    FitsCatalog catalog(written(directory, CatalogFormat::fits, sources));
    ASSERT_EQ(catalog.status(), 0);
    EXPECT_EQ(catalog.type(), BINARY_TBL);
    EXPECT_EQ(catalog.hdus(), 2);
    EXPECT_EQ(catalog.rows(), sources.size());
    for_each_column(sources, [&]<class T>(const Column& column, const std::vector<T>& values) {
      EXPECT_TRUE(same(catalog.column<T>(column.name), values)) << column.name;
    });
    EXPECT_EQ(catalog.status(), 0);
  }
}

TEST_P(CatalogSize, FitsverifyHasNothingToSay) {
  SRCEXTRACT_NEEDS_PEER(testing::have_fitsverify(), "no fitsverify");
  TemporaryFolder directory;
  const std::string path = written(directory, CatalogFormat::fits, random_sources(GetParam(), true));
  const auto [status, output] = testing::run_command("fitsverify '" + path + "'");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(output, HasSubstr("found 0 warning(s) and 0 error(s)"));
}

TEST_P(CatalogSize, TextGivesTheSameNumbersBack) {
  TemporaryFolder directory;
  const Sources sources = random_sources(GetParam(), true);
  std::vector<std::string> lines = read_lines(written(directory, CatalogFormat::csv, sources));
  ASSERT_EQ(lines.size(), GetParam() + 1);
  std::string_view rest;
  for (std::size_t row = 0; row < GetParam(); ++row) {
    rest = lines[row + 1];
    for_each_column(sources, [&]<class T>(const Column& column, const std::vector<T>& values) {
      T value{};
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      ASSERT_EQ(error, std::errc()) << column.name << " of " << lines[row + 1];
      const bool nan = values[row] != values[row];
      ASSERT_TRUE(nan ? value != value : std::memcmp(&value, &values[row], sizeof(T)) == 0) << column.name;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
      if (!rest.empty()) rest.remove_prefix(1);
    });
    ASSERT_TRUE(rest.empty());
  }
}

TEST(CatalogTest, FitsColumnsSayWhatTheyAre) {
  TemporaryFolder directory;
  Sources sources = three_sources(testing::sky_names);
  sources[columns::alpha_j2000] = sources[columns::delta_j2000] = {1, 2, 3};
  FitsCatalog catalog(written(directory, CatalogFormat::fits, sources));
  EXPECT_EQ(catalog.text("EXTNAME"), "CATALOG");
  EXPECT_EQ(catalog.text("CREATOR"), "srcextract 1.2.3");

  std::map<std::string, std::vector<std::string>> found;
  for (int i = 1; i <= 25; ++i) {
    const std::string n = std::to_string(i);
    const bool unit = catalog.header().find("TUNIT" + n + " ") != std::string::npos;
    found[catalog.text("TTYPE" + n)] = {catalog.text("TFORM" + n), unit ? catalog.text("TUNIT" + n) : "",
                                        catalog.text("TUCD" + n), catalog.text("TCOMM" + n)};
  }
  EXPECT_EQ(catalog.status(), 0);
  EXPECT_EQ(found.size(), 25u);
  EXPECT_THAT(found["NUMBER"],
              ElementsAre("J", "", "meta.record", "Running number, in raster order of the first pixel"));
  EXPECT_THAT(found["X_IMAGE"],
              ElementsAre("D", "pixel", "pos.cartesian.x;instr.det", "Intensity-weighted x, 1-based"));
  EXPECT_THAT(found["NPIX"], ElementsAre("K", "pixel", HasSubstr("angArea"), "Number of detected pixels"));
  EXPECT_THAT(found["XY_IMAGE"], ElementsAre("D", "pixel**2", HasSubstr("covariance"), "Covariance of x and y"));
  EXPECT_THAT(found["FLAGS"], ElementsAre("I", "", "meta.code", HasSubstr("touches the image edge")));
  EXPECT_THAT(found["ALPHA_J2000"], ElementsAre("D", "deg", "pos.eq.ra;meta.main", HasSubstr("Right ascension")));
}

TEST(CatalogTest, ColumnsOfOneCommonNameAreAColumnOfVectorsInFits) {
  TemporaryFolder directory;
  Sources sources = random_sources(2049, true);
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  testing::add_vector_columns<double>(sources, "FLUX_AUTO", 1, 2);
  testing::add_vector_columns<std::int32_t>(sources, "COUNT", 2, 3);
  for (const std::size_t map : {0U, 1U})
    for (const auto& column : flag_map_columns)
      sources.add({column.declared.column, numbered(column.declared.column.name, map),
                   std::vector<std::int64_t>(2049, map == 0), CatalogPart::flag_maps});
  const std::string path = written(directory, CatalogFormat::fits, sources);
  FitsCatalog catalog(path);
  std::vector<std::string> found;
  for (int i = 24; i <= 30; ++i)
    found.push_back(catalog.text("TTYPE" + std::to_string(i)) + " " + catalog.text("TFORM" + std::to_string(i)));
  EXPECT_THAT(found, ElementsAre("IMAFLAGS_ISO 2K", "NIMAFLAGS_ISO 2K", "FLUX_APER 3D", "FLUX_AUTO D", "COUNT 2J",
                                 "ALPHA_J2000 D", "DELTA_J2000 D"));
  EXPECT_EQ(catalog.text("TUNIT26"), "count");
  constexpr const char* names[] = {"FLUX_APER", "FLUX_APER_1", "FLUX_APER_2"};
  const std::vector<double> vectors = catalog.column<double>("FLUX_APER", 3);
  for (std::size_t row = 0; row < 2049; ++row) {
    for (std::size_t element = 0; element < 3; ++element) {
      const double value = sources[ColumnKey<double>{names[element]}][row];
      ASSERT_EQ(std::memcmp(&vectors[3 * row + element], &value, sizeof(value)), 0) << row << ", " << element;
    }
  }
  EXPECT_THAT(catalog.column<std::int64_t>("IMAFLAGS_ISO", 2), ::testing::Contains(1).Times(2049));
  EXPECT_TRUE(same(catalog.column<double>("ALPHA_J2000"), sources[columns::alpha_j2000]));
  EXPECT_EQ(catalog.status(), 0);
  if (!testing::have_fitsverify()) return;
  EXPECT_THAT(testing::run_command("fitsverify '" + path + "'").second, HasSubstr("found 0 warning(s) and 0 error(s)"));
}

TEST(CatalogTest, VectorsAreColumnsOfTheirOwnInCsv) {
  TemporaryFolder directory;
  Sources sources = three_sources();
  testing::add_vector_columns<std::int32_t>(sources, "COUNT", 2, 3);
  EXPECT_THAT(read_lines(written(directory, CatalogFormat::csv, sources)).front(),
              ::testing::EndsWith(",COUNT,COUNT_1"));
}

TEST(CatalogTest, UcdsAreOfTheControlledVocabulary) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  TemporaryFolder directory;
  std::string ucds;
  const Sources sources = three_sources(testing::sky_names);
  for_each_column(sources, [&](const Column& column, const auto&) { ucds += std::string(column.ucd) + "\n"; });
  const auto [status, output] = testing::run_python(directory, R"(
import sys
from astropy.io.votable import ucd
words = open(sys.argv[1]).read().split()
assert len(words) > 20
for word in words:
    ucd.parse_ucd(word, check_controlled_vocabulary=True)
)",
                                                    directory.write("ucds", ucds));
  EXPECT_EQ(status, 0) << output;
}

TEST(CatalogTest, ColumnsOfPixelValuesHaveTheUnitOfThePixels) {
  TemporaryFolder directory;
  const std::string path =
      written(directory, CatalogFormat::fits, three_sources(), {"1.2.3", "{}\n", "Jy/beam", "pixel.Jy/beam"});
  FitsCatalog catalog(path);
  std::map<std::string, std::string> unit;
  for (const char* n : {"11", "12", "13", "14", "20", "21"})
    unit[catalog.text(std::string("TTYPE") + n)] = catalog.text(std::string("TUNIT") + n);
  EXPECT_THAT(unit, ElementsAre(Pair("BACKGROUND", "Jy/beam"), Pair("FLUXERR_ISO", "pixel.Jy/beam"),
                                Pair("FLUX_ISO", "pixel.Jy/beam"), Pair("FLUX_MAX", "Jy/beam"),
                                Pair("THRESHOLD", "Jy/beam"), Pair("X2_IMAGE", "pixel**2")));
  if (!testing::have_fitsverify()) return;
  EXPECT_THAT(testing::run_command("fitsverify '" + path + "'").second, HasSubstr("found 0 warning(s) and 0 error(s)"));
}

TEST(CatalogTest, FitsHistoryHoldsTheWholeConfig) {
  TemporaryFolder directory;
  const std::string header = FitsCatalog(written(directory, CatalogFormat::fits, three_sources())).header();
  std::string history;
  for (std::size_t i = 0; i < header.size(); i += 80) {
    std::string card = header.substr(i, 80);
    if (card.compare(0, 8, "HISTORY ") == 0) history += card.substr(8, card.find_last_not_of(' ') - 7) + "\n";
  }
  EXPECT_THAT(history, HasSubstr("srcextract config:\ninput:\n  hdu: 'nnn"));
  EXPECT_THAT(history, HasSubstr("\ndetection:\n  threshold: 5\n"));
  history.erase(std::remove(history.begin(), history.end(), '\n'), history.end());
  EXPECT_THAT(history, HasSubstr(long_line));  // on several cards
}

TEST(CatalogTest, WithoutSkyTheColumnsAreAbsent) {
  TemporaryFolder directory;
  for (CatalogFormat format :
       {CatalogFormat::fits, CatalogFormat::ldac, CatalogFormat::ecsv, CatalogFormat::csv, CatalogFormat::ascii_head}) {
    const std::string text = read_file(written(directory, format, three_sources()));
    EXPECT_THAT(text, HasSubstr("FLAGS"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("J2000")));
  }
}

TEST(CatalogTest, NothingFromTheClockOrThePathIsInTheBytes) {
  TemporaryFolder one, other;
  const Sources sources = random_sources(100, true);
  for (const FormatNames& names : catalog_formats) {
    const CatalogFormat format = names.format;
    const std::string text = read_file(written(one, format, sources));
    EXPECT_EQ(text, read_file(written(other, format, sources)));
    EXPECT_THAT(text, ::testing::Not(HasSubstr(one.string())));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("DATE ")));
  }
}

TEST(CatalogTest, WhatTheMemoryHeldBeforeDoesNotMatter) {
  TemporaryFolder directory;
  const Sources sources = random_sources(100, true);
  const std::string clean = read_file(written(directory, CatalogFormat::fits, sources));
  mallopt(M_PERTURB, 0x55);  // malloc gives memory full of 0xaa
  const std::string dirty = read_file(written(directory, CatalogFormat::fits, sources));
  mallopt(M_PERTURB, 0);
  EXPECT_EQ(clean, dirty);
}

TEST(CatalogTest, CsvIsPlain) {
  TemporaryFolder directory;
  Sources sources = testing::usual_sources(1);
  sources[columns::number] = {7};
  sources[columns::x_image][0] = 0.1;
  sources[columns::y_image][0] = std::numeric_limits<double>::quiet_NaN();
  sources[columns::flux_iso][0] = 1e300;
  EXPECT_EQ(read_file(written(directory, CatalogFormat::csv, sources)),
            "NUMBER,X_IMAGE,Y_IMAGE,XMIN_IMAGE,XMAX_IMAGE,YMIN_IMAGE,YMAX_IMAGE,XPEAK_IMAGE,YPEAK_IMAGE,NPIX,FLUX_ISO,"
            "FLUXERR_ISO,FLUX_MAX,X2_IMAGE,Y2_IMAGE,XY_IMAGE,A_IMAGE,B_IMAGE,THETA_IMAGE,BACKGROUND,THRESHOLD,SNR,"
            "FLAGS\n7,0.1,nan,0,0,0,0,0,0,0,1e+300,0,0,0,0,0,0,0,0,0,0,0,0\n");
}

TEST(CatalogTest, RegionsAreEllipsesOfThreeTimesTheProfileRms) {
  TemporaryFolder directory;
  const std::vector<std::string> lines = read_lines(written(directory, CatalogFormat::reg, three_sources()));
  // A pixel alone has an RMS of 1/sqrt(12) on either axis: three of them are sqrt(3)/2 = 0.8660254037844386.
  EXPECT_THAT(lines,
              ElementsAre("# Region file format: DS9 version 4.1", "image", "ellipse(10.5,11,6,4.5,-30) # text={1}",
                          "ellipse(20.25,1e-07,0.8660254037844386,0.8660254037844386,0) # text={2}",
                          "point(0.1,1234.5678901234567) # point=cross text={3}"));
}

TEST(CatalogTest, ARegionWithoutAShapeIsAPoint) {
  TemporaryFolder directory;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<double, double> axes[] = {{infinite, 2}, {2, infinite}, {nan, 2}, {2, nan}, {1e308, 2}};
  for (const auto& [a, b] : axes) {
    Sources sources = three_sources();
    sources[columns::a_image][0] = a;
    sources[columns::b_image][0] = b;
    EXPECT_EQ(read_lines(written(directory, CatalogFormat::reg, sources)).at(2),
              "point(10.5,11) # point=cross text={1}");
  }
}

TEST(CatalogTest, ARegionWithoutCentroidIsAtThePeak) {
  TemporaryFolder directory;
  Sources sources = three_sources();
  sources[columns::x_image][0] = std::numeric_limits<double>::quiet_NaN();
  sources[columns::xpeak_image][0] = 42;
  sources[columns::ypeak_image][0] = 43;
  EXPECT_THAT(read_file(written(directory, CatalogFormat::reg, sources)), HasSubstr("ellipse(42,43,6,4.5,-30)"));
}

TEST(CatalogTest, AFailedWriteLeavesTheOldCatalogue) {
  TemporaryFolder directory;
  const std::string path = directory / "missing/sky.cat.fits";
  try {
    write_catalog(path, CatalogFormat::fits, three_sources(), metadata).commit();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(), HasSubstr(path));
  }
}

}  // namespace
}  // namespace srcextract
