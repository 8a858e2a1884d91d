#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/catalog/table_writer.hpp"
#include "io/tables/table_file.hpp"
#include "tests/io/support/catalogs.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/random_sources.hpp"
#include "tests/support/usual_sources.hpp"
#include "tests/support/vector_columns.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using testing::metadata;
using testing::TemporaryFolder;
using testing::three_sources;
using testing::written;

Table read_all_of(const std::string& path) {
  const TableFile file = open_table(path);
  std::vector<std::size_t> columns(file.columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return read_table(file, columns);
}

std::vector<double> numbers(const TableColumn& column) {
  return std::visit(
      []<class T>(const std::vector<T>& values) {
        std::vector<double> out;
        if constexpr (!std::is_same_v<T, std::string>)
          for (const T value : values) out.push_back(static_cast<double>(value));
        return out;
      },
      column.values);
}

class CatalogVotable : public ::testing::TestWithParam<CatalogFormat> {
 protected:
  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Formats, CatalogVotable,
                         ::testing::Values(CatalogFormat::votable, CatalogFormat::votable_text), [](const auto& test) {
                           return test.param == CatalogFormat::votable ? "Binary2" : "Tabledata";
                         });

TEST_P(CatalogVotable, ReadsBackToTheBitsThatFitsHas) {
  Sources sources = testing::random_sources(1000, true, 1);
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  testing::add_vector_columns<std::int32_t>(sources, "COUNT", 2, 2);
  const Table fits = read_all_of(written(folder_, CatalogFormat::fits, sources));
  const Table read = read_all_of(written(folder_, GetParam(), sources));
  ASSERT_EQ(read.rows, 1000);
  ASSERT_EQ(read.columns.size(), fits.columns.size());
  for (std::size_t i = 0; i < fits.columns.size(); ++i) {
    const TableColumn &one = fits.columns[i], &other = read.columns[i];
    EXPECT_EQ(other.name, one.name);
    EXPECT_EQ(other.ucd, one.ucd);
    // A FIELD of several elements has one.
    EXPECT_EQ(other.description, common_name(one.name) == one.name ? one.description : "");
    EXPECT_EQ(other.values.index(), one.values.index()) << one.name;
    const std::vector<double> a = numbers(one), b = numbers(other);
    EXPECT_TRUE(std::ranges::equal(a, b, [](double x, double y) {
      return (x == y && std::signbit(x) == std::signbit(y)) || (x != x && y != y);
    })) << one.name;
  }
}

/// As a survey is written that is merged from catalogues: the same bytes.
TEST_P(CatalogVotable, RowsMayComeInPieces) {
  const Sources sources = testing::random_sources(700, true, 1);
  const CatalogRows all = rows_of(sources, Vectors::joined);
  const Cpu where;
  OutputFile file(folder_ / "pieces");
  const std::unique_ptr<RowSink> sink = sink_of(GetParam())(file, all, all.count, metadata, where);
  std::int64_t first = 0;
  for (const std::int64_t count : {0, 1, 2, 250, 0, 447}) {
    CatalogRows some{all.fields, count};
    for (CatalogField& field : some.fields)
      std::visit(
          [&](auto& values) {
            for (auto& element : values.elements) element += first;
          },
          field.values);
    sink->write(some);
    first += count;
  }
  sink->finish();
  file.commit();
  EXPECT_EQ(testing::read_file(folder_ / "pieces"), testing::read_file(written(folder_, GetParam(), sources)));
}

TEST_P(CatalogVotable, TextOfEveryKindComesBack) {
  const std::vector<std::string> texts = {"",
                                          "plain",
                                          " blanks at both ends ",
                                          "night & day/<a> \"b\" 'c'.fits",
                                          "tab\tand\nline\rends",
                                          "M\xc3\xbcnchen \xf0\x9f\x94\xad \xe2\x88\x91",
                                          "]]>"};
  Table table;
  table.rows = std::ssize(texts) + 1;
  std::vector<std::string> values = texts;
  values.emplace_back("bad \xff\x01.fits");
  table.columns = {{"a<b>&\"c\"", "", "", "says <&> \"'", values},
                   {"N", "", "", "", std::vector<std::int32_t>(values.size(), 3)}};
  const std::string path = folder_ / (GetParam() == CatalogFormat::votable ? "t.vot" : "t.xml");
  write_table(path, table, {"1.2.3", "config: '<&>'\n"}).commit();
  const Table read = read_all_of(path);
  EXPECT_EQ(read.columns[0].name, "a<b>&\"c\"");
  EXPECT_EQ(read.columns[0].description, "says <&> \"'");
  values.back() = "bad \xef\xbf\xbd\xef\xbf\xbd.fits";
  EXPECT_EQ(std::get<std::vector<std::string>>(read.columns[0].values), values);
  EXPECT_EQ(numbers(read.columns[1]), std::vector<double>(values.size(), 3));
}

TEST_P(CatalogVotable, AnEmptyCatalogueHasItsColumns) {
  Sources sources = testing::usual_sources(0, testing::sky_names);
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  const Table read = read_all_of(written(folder_, GetParam(), sources));
  EXPECT_EQ(read.rows, 0);
  EXPECT_EQ(read.columns.size(), 28u);
}

/// What follows the rows is there, since a table cut short is none.
TEST_P(CatalogVotable, ATableCutShortIsRefused) {
  const std::string path = written(folder_, GetParam(), three_sources());
  const std::string whole = testing::read_file(path);
  for (const std::size_t size : {whole.size() - 2, whole.size() - 100, whole.size() - 400}) {
    folder_.write("cut.vot", whole.substr(0, size));
    EXPECT_THROW(read_all_of(folder_ / "cut.vot"), Error) << size;
  }
}

/// A reader of VOTables that is none of ours: types, units, UCDs and values, vectors of them and pictures.
TEST_P(CatalogVotable, AstropyReadsWhatItReadsInFits) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  Sources sources = testing::random_sources(50, true, 1);
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  testing::add_vector_columns<std::int16_t>(sources, "NITER", 1, 3);
  Vignets vignets;
  vignets.size = {5, 3};
  for (int i = 0; i < 15; ++i) {
    std::vector<float> pixels(50);
    for (std::size_t row = 0; row < 50; ++row) pixels[row] = static_cast<float>(i) + 0.1F * static_cast<float>(row);
    for (const float value : pixels) vignets.pixels.push_back(value);
  }
  for (const CatalogFormat format : {CatalogFormat::fits, GetParam()})
    write_catalog(folder_ / (std::string("sky") + extension(format)), format, sources, metadata, {}, vignets).commit();
  const auto [status, output] = testing::run_python(folder_, R"(
import sys
import numpy as np
from astropy import units
from astropy.io.votable import parse
from astropy.table import Table
path = sys.argv[1]
file = parse(path, verify='exception')
assert file.version == '1.4'
votable = file.get_first_table()
fits = Table.read(path.rsplit('.', 1)[0] + '.fits', hdu=1)
assert [field.name for field in votable.fields] == fits.colnames
for field in votable.fields:
    one, other = np.ma.filled(fits[field.name]), votable.array[field.ID]
    assert one.dtype.newbyteorder('=') == other.dtype.newbyteorder('=') and one.shape == other.shape, field.name
    assert np.array_equal(one, other.data, equal_nan=one.dtype.kind == 'f'), field.name
    assert not np.any(other.mask & ~(np.isnan(one) if one.dtype.kind == 'f' else False)), field.name
    assert (field.unit or units.one) == (fits[field.name].unit or units.one), field.name
assert fits['VIGNET'].shape == (50, 3, 5)
print(len(fits))
)",
                                                    folder_ / (std::string("sky") + extension(GetParam())));
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output, "50\n");
}

TEST(CatalogVotableText, HoldsWhatIsKnownOfTheImage) {
  const TemporaryFolder folder;
  CatalogMetadata beside = metadata;
  beside.pixel_unit = "Jy/beam";
  beside.image = {SkyFacts{0.5, std::nan("")},
                  {{"OBJECT", std::string("NGC <5> & \"co\"")},
                   {"MJD-OBS", 57000.5},
                   {"EXPTIME", std::int64_t{30}},
                   {"GOOD", true}}};
  beside.detection_image = "d&d.fits";
  beside.positions = "p.csv";
  beside.bands = {{"g", "g.fits", {"measurement.gain=2"}}};
  Sources sources = three_sources(testing::sky_names);
  sources[columns::alpha_j2000] = sources[columns::delta_j2000] = {1, 2, 3};
  const std::string text = testing::read_file(written(folder, CatalogFormat::votable_text, sources, beside));
  for (const char* line :
       {"<INFO name=\"creator\" value=\"srcextract 1.2.3\"/>",
        "<INFO name=\"detection_image\" value=\"d&amp;d.fits\"/>", "<INFO name=\"positions\" value=\"p.csv\"/>",
        "<INFO name=\"band\" value=\"g=g.fits\"/>", "<INFO name=\"band_set\" value=\"g:measurement.gain=2\"/>",
        "<INFO name=\"config\" value=\"input:&#10;  hdu: 'n", "<COOSYS ID=\"J2000_sky\" system=\"ICRS\"/>",
        "<TIMESYS ID=\"MJD_time\" timeorigin=\"MJD-origin\" timescale=\"UNKNOWN\" refposition=\"UNKNOWN\"/>",
        "<TABLE name=\"CATALOG\" nrows=\"3\">",
        "<PARAM name=\"SKYLEVEL\" datatype=\"double\" unit=\"Jy/beam\" ucd=\"instr.background;stat.median\" "
        "value=\"0.5\"/>",
        "<PARAM name=\"SKYSIGMA\" datatype=\"double\" unit=\"Jy/beam\" ucd=\"stat.stdev;instr.background\" "
        "value=\"NaN\"/>",
        "<PARAM name=\"OBJECT\" datatype=\"char\" arraysize=\"*\" ucd=\"meta.id;src\" value=\"NGC &lt;5&gt; &amp; "
        "&quot;co&quot;\"/>",
        "<PARAM name=\"MJD-OBS\" datatype=\"double\" unit=\"d\" ucd=\"time.epoch\" ref=\"MJD_time\" "
        "value=\"57000.5\"/>",
        "<PARAM name=\"EXPTIME\" datatype=\"long\" unit=\"s\" ucd=\"time.duration;obs.exposure\" value=\"30\"/>",
        "<PARAM name=\"GOOD\" datatype=\"boolean\" value=\"true\"/>",
        "<FIELD ID=\"ALPHA_J2000\" name=\"ALPHA_J2000\" datatype=\"double\" unit=\"deg\" ucd=\"pos.eq.ra;meta.main\" "
        "ref=\"J2000_sky\">\n<DESCRIPTION>Right ascension"})
    EXPECT_THAT(text, HasSubstr(line));
  // In pixels alone there is no sky to refer to.
  EXPECT_THAT(testing::read_file(written(folder, CatalogFormat::votable_text, three_sources())),
              ::testing::Not(HasSubstr("COOSYS")));
}

}  // namespace
}  // namespace srcextract
