#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/catalog/row_sink.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/catalogs.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(RegionsTest, CrtfCountsPixelsFrom0AndAnglesFromY) {
  const TemporaryFolder folder;
  Sources sources = testing::three_sources();
  sources.x_image[2] = 1.5;
  sources.y_image[2] = 3e6;
  const std::vector<std::string> lines = testing::read_lines(testing::written(folder, CatalogFormat::crtf, sources));
  EXPECT_THAT(lines, ElementsAre("#CRTFv0 CASA Region Text Format version 0",
                                 "ellipse[[9.5pix, 10pix], [6pix, 4.5pix], 60deg], label='1'",
                                 "ellipse[[19.25pix, -0.9999999pix], [0.8660254037844386pix, 0.8660254037844386pix], "
                                 "90deg], label='2'",
                                 "symbol[[0.5pix, 2999999pix], +], label='3'"));
}

TEST(RegionsTest, AnglesOfCrtfAreThoseOfDs9LessARightAngle) {
  const TemporaryFolder folder;
  for (const auto& [theta, angle] : {std::pair(90.0, "0deg"), std::pair(45.0, "-45deg"), std::pair(0.5, "-89.5deg"),
                                     std::pair(-0.5, "89.5deg"), std::pair(-89.5, "0.5deg")}) {
    Sources sources = testing::three_sources();
    sources.theta_image[0] = theta;
    EXPECT_THAT(testing::read_lines(testing::written(folder, CatalogFormat::crtf, sources)).at(1),
                HasSubstr(std::string("4.5pix], ") + angle));
  }
}

/// What a merged survey may have.
struct Survey {
  std::vector<std::string> image = {"a", "a", "b", "b"};
  std::vector<std::int32_t> number = {1, 2, 1, 2};
  std::vector<double> alpha = {10.5, 359.5, 20, nan}, delta = {-45, 0.25, 20, 1};
  std::vector<double> a = {0.001, 0.001, 0, 1}, b = {0.0005, nan, 0, 1}, theta = {30, 0, 0, 0};

  CatalogRows rows(bool shapes) const {
    const auto column = [](const char* name) { return Column{name, "", "", "", 0}; };
    CatalogRows rows{{{column("IMAGE"), FieldValues<std::string>{{image.data()}}},
                      {column("NUMBER"), FieldValues<std::int32_t>{{number.data()}}},
                      {column("ALPHA_J2000"), FieldValues<double>{{alpha.data()}}},
                      {column("DELTA_J2000"), FieldValues<double>{{delta.data()}}}},
                     4};
    if (!shapes) return rows;
    rows.fields.push_back({column("A_WORLD"), FieldValues<double>{{a.data()}}});
    rows.fields.push_back({column("B_WORLD"), FieldValues<double>{{b.data()}}});
    rows.fields.push_back({column("THETA_J2000"), FieldValues<double>{{theta.data()}}});
    return rows;
  }
};

template <class Sink>
std::vector<std::string> lines_of(const Sink& begin, const CatalogRows& rows) {
  const TemporaryFolder folder;
  OutputFile file(folder / "regions");
  write_all(begin, file, rows, testing::metadata);
  file.commit();
  return testing::read_lines(folder / "regions");
}

TEST(RegionsTest, OfASurveyAreOnTheSky) {
  const Survey survey;
  EXPECT_THAT(
      lines_of(region_sink, survey.rows(true)),
      ElementsAre("# Region file format: DS9 version 4.1", "icrs", "ellipse(10.5,-45,10.8\",5.4\",120) # text={1}",
                  "point(359.5,0.25) # point=cross text={2}", "point(20,20) # point=cross text={1}"));
  EXPECT_THAT(lines_of(crtf_sink, survey.rows(true)),
              ElementsAre("#CRTFv0 CASA Region Text Format version 0", "global coord=ICRS",
                          "ellipse[[10.5deg, -45deg], [10.8arcsec, 5.4arcsec], 30deg], label='1'",
                          "symbol[[359.5deg, 0.25deg], +], label='2'", "symbol[[20deg, 20deg], +], label='1'"));
  EXPECT_EQ(lines_of(crtf_sink, survey.rows(false)).at(2), "symbol[[10.5deg, -45deg], +], label='1'");
}

TEST(RegionsTest, WithoutPositionsAreRefused) {
  const Survey survey;
  CatalogRows rows = survey.rows(false);
  rows.fields.pop_back();
  try {
    lines_of(region_sink, rows);
    ADD_FAILURE() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(), HasSubstr("this table has no DELTA_J2000; extract images with a celestial WCS"));
  }
}

}  // namespace
}  // namespace srcextract
