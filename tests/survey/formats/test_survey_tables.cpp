#include "survey/formats/survey_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "io/tables/table_file.hpp"
#include "stages/core/error.hpp"
#include "tests/support/vector_columns.hpp"
#include "tests/survey/merge/merge_support.hpp"

namespace srcextract {
namespace {

using testing::contents_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::no_warning;
using testing::random_sources;
using testing::survey_of;
using testing::TemporaryFolder;
using testing::TestImage;

Table all_of(const std::string& path) {
  const TableFile file = open_table(path);
  std::vector<std::size_t> every(file.columns.size());
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = i;
  return read_table(file, every);
}

/// Numbers by their bits, whatever the narrowest type is that holds them in a format; all NaN are alike.
std::vector<std::string> values_of(const TableColumn& column) {
  std::vector<std::string> all;
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        for (const T& value : values) {
          if constexpr (std::is_same_v<T, std::string>) {
            all.push_back(value);
          } else {
            const auto number = static_cast<double>(value);
            all.push_back(std::isnan(number) ? "nan" : std::to_string(std::bit_cast<std::uint64_t>(number)));
          }
        }
      },
      column.values);
  return all;
}

class SurveyTablesOf : public ::testing::TestWithParam<std::string> {};

/// FITS, as CFITSIO wrote and the tests of merging have shown it, is what the other formats are held against.
void expect_equal(const Table& fits, const Table& other, bool with_units) {
  ASSERT_EQ(other.rows, fits.rows);
  ASSERT_EQ(other.columns.size(), fits.columns.size());
  for (std::size_t i = 0; i < fits.columns.size(); ++i) {
    SCOPED_TRACE(fits.columns[i].name);
    EXPECT_EQ(other.columns[i].name, fits.columns[i].name);
    EXPECT_EQ(values_of(other.columns[i]), values_of(fits.columns[i]));
    EXPECT_EQ(other.columns[i].unit, with_units ? fits.columns[i].unit : "");
  }
}

std::vector<TestImage> images() {
  Sources with = random_sources(40, true, 1), without = random_sources(2, false, 2);
  testing::add_vector_columns<double>(with, "FLUX_APER", 3, 1);
  return {{"a.fits", with},
          {"b.fits", without, 3},
          {"c d,\"e.fits", {}, {}, "c", "", "it\nis \"no\" FITS file, by far"},
          {"e.fits", random_sources(50'000, true, 3)}};
}

TEST_P(SurveyTablesOf, HasWhatFitsHas) {
  const TemporaryFolder folder;
  const std::string out = survey_of(folder, images());
  const std::string fits = folder / "survey.fits", other = folder / ("survey.cat" + GetParam());
  merge_surveys({{out}, fits, false, "1.2.3"}, no_warning);
  merge_surveys({{out}, other, false, "1.2.3"}, no_warning);
  const bool with_units = GetParam() != ".csv";
  const Table sources = all_of(other);
  ASSERT_EQ(sources.rows, 50'042);
  expect_equal(all_of(fits + "[SOURCES]"), sources, with_units);
  expect_equal(all_of(fits + "[IMAGES]"), all_of(folder / ("survey.images" + GetParam())), with_units);
}

TEST_P(SurveyTablesOf, HasNoRowsWhereThereAreNone) {
  const TemporaryFolder folder;
  const std::string out = survey_of(folder, {{"a.fits", random_sources(0, true, 1)}});
  const std::string path = folder / ("survey" + GetParam());
  merge_surveys({{out}, path, false, "1.2.3"}, no_warning);
  EXPECT_EQ(all_of(path).rows, 0);
  EXPECT_EQ(all_of(folder / ("survey.images" + GetParam())).rows, 1);
}

INSTANTIATE_TEST_SUITE_P(Formats, SurveyTablesOf, ::testing::Values(".csv", ".ecsv", ".txt", ".vot", ".xml"),
                         [](const auto& info) { return info.param.substr(1); });

/// A column of pictures, and one of integers, of which -7 is none.
TableHead pictures() {
  TableHead head{.name = "SOURCES", .columns = {}, .rows = 1, .creator = "srcextract 1", .history = {}};
  head.columns = {{"VIGNET", "6E", "", "", "", std::nullopt, 24, "(3,2)"}, {"N", "K", "", "", "", -7, 8}};
  return head;
}

std::vector<std::byte> picture_row() {
  // 1, 2, 3, 4, 5, 6 and -7, as IEEE 754 and two's complement have them.
  const std::vector<int> bytes = {0x3f, 0x80, 0, 0, 0x40, 0,    0, 0, 0x40, 0x40, 0,   0,   0x40, 0x80, 0,   0,
                                  0x40, 0xa0, 0, 0, 0x40, 0xc0, 0, 0, 255,  255,  255, 255, 255,  255,  255, 249};
  std::vector<std::byte> row;
  for (const int byte : bytes) row.push_back(static_cast<std::byte>(byte));
  return row;
}

TEST(SurveyTables, HavePicturesRowByRowAndNaNForNoInteger) {
  const TemporaryFolder folder;
  const auto tables = make_survey_tables(folder / "s.ecsv");
  tables->begin(pictures());
  tables->write(picture_row());
  tables->commit({});
  EXPECT_THAT(contents_of(folder / "s.ecsv"), HasSubstr("\n[[1,2,3],[4,5,6]] nan\n"));
  EXPECT_THAT(contents_of(folder / "s.ecsv"), HasSubstr("subtype: 'float32[2,3]'"));
}

TEST(SurveyTables, OfTextWithCommasLeavePicturesOut) {
  const TemporaryFolder folder;
  const auto tables = make_survey_tables(folder / "s.csv");
  tables->begin(pictures());
  tables->write(picture_row());
  tables->commit({});
  EXPECT_EQ(contents_of(folder / "s.csv"), "N\nnan\n");
}

TEST(SurveyTables, KeepTheConfigurationWhoseLinesCardsCutIntoPieces) {
  const TemporaryFolder folder;
  TableHead head = pictures();
  const std::string list = "  columns: [" + std::string(90, 'x') + "]", full = "  k: " + std::string(67, 'y');
  head.history = {"srcextract config:", "output:", list.substr(0, 72), list.substr(72), full,
                  "  formats: [csv]",   full,      "measurement:"};
  head.rows = 0;
  const auto tables = make_survey_tables(folder / "s.ecsv");
  tables->begin(head);
  tables->commit({});
  EXPECT_THAT(contents_of(folder / "s.ecsv"),
              HasSubstr("#     output:\n#     " + list + "\n#     " + full + "\n#       formats: [csv]\n#     " + full +
                        "\n#     measurement:\n# schema"));
}

TEST(SurveyTables, AreNotThereBeforeTheyAreWhole) {
  const TemporaryFolder folder;
  {
    const auto tables = make_survey_tables(folder / "s.ecsv");
    tables->begin(pictures());
    tables->write(picture_row());
    tables->begin(pictures());
    tables->write(picture_row());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.string()));
}

TEST(SurveyTables, SayWhichFilesTheyAre) {
  EXPECT_THAT(survey_files("a/survey.cat.fits"), ElementsAre("a/survey.cat.fits"));
  EXPECT_THAT(survey_files("a/survey.cat.csv"), ElementsAre("a/survey.cat.csv", "a/survey.images.csv"));
  EXPECT_THAT(survey_files("survey.ecsv"), ElementsAre("survey.ecsv", "survey.images.ecsv"));
  EXPECT_THROW(survey_files("survey.doc"), Error);
  for (const char* survey : {"a/survey.fits", "a/survey.cat.fits", "a/survey.csv", "a/survey.hats", "a/survey.hats/"})
    EXPECT_EQ(survey_page_path(survey), "a/survey.report.html");
}

TEST(SurveyTables, ReplaceNoFileOfTheSurvey) {
  const TemporaryFolder folder;
  const std::string out = survey_of(folder, {{"a.fits", random_sources(2, true, 1)}});
  std::filesystem::create_hard_link(out + "/a.cat.fits", folder / "survey.images.csv");
  EXPECT_THROW(merge_surveys({{out}, folder / "survey.csv", false, "1"}, no_warning), Error);
}

}  // namespace
}  // namespace srcextract
