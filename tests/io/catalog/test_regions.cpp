#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/catalog/row_sink.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/catalogs.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/peers.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(RegionsTest, CrtfCountsPixelsFrom0AndAnglesFromY) {
  const TemporaryFolder folder;
  Sources sources = testing::three_sources();
  sources[columns::x_image][2] = 1.5;
  sources[columns::y_image][2] = 3e6;
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
    sources[columns::theta_image][0] = theta;
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

void write(const std::string& path, CatalogFormat format, const CatalogRows& rows) {
  OutputFile file(path);
  write_all(format, file, rows, testing::metadata, Cpu{});
  file.commit();
}

std::vector<std::string> lines_of(CatalogFormat format, const CatalogRows& rows) {
  const TemporaryFolder folder;
  write(folder / "regions", format, rows);
  return testing::read_lines(folder / "regions");
}

TEST(RegionsTest, OfASurveyAreOnTheSky) {
  const Survey survey;
  EXPECT_THAT(
      lines_of(CatalogFormat::reg, survey.rows(true)),
      ElementsAre("# Region file format: DS9 version 4.1", "icrs", "ellipse(10.5,-45,10.8\",5.4\",120) # text={1}",
                  "point(359.5,0.25) # point=cross text={2}", "point(20,20) # point=cross text={1}"));
  EXPECT_THAT(lines_of(CatalogFormat::crtf, survey.rows(true)),
              ElementsAre("#CRTFv0 CASA Region Text Format version 0", "global coord=ICRS",
                          "ellipse[[10.5deg, -45deg], [10.8arcsec, 5.4arcsec], 30deg], label='1'",
                          "symbol[[359.5deg, 0.25deg], +], label='2'", "symbol[[20deg, 20deg], +], label='1'"));
  EXPECT_EQ(lines_of(CatalogFormat::crtf, survey.rows(false)).at(2), "symbol[[10.5deg, -45deg], +], label='1'");
}

/// Another reader of both formats draws what both writers write, on a sky that is turned in the image: the same pixels,
/// longest towards the position angle.
TEST(RegionsTest, OnTheSkyAreTheSameToAnotherReader) {
  const char* const python = std::getenv("SRCEXTRACT_READERS_PYTHON");
  SRCEXTRACT_NEEDS_PEER(python != nullptr, "SRCEXTRACT_READERS_PYTHON names no Python that has regions");
  const TemporaryFolder folder;
  const Survey survey;
  write(folder / "sky.reg", CatalogFormat::reg, survey.rows(true));
  write(folder / "sky.crtf", CatalogFormat::crtf, survey.rows(true));
  folder.write("draw.py", R"(
import sys
import numpy as np
from astropy import units
from astropy.coordinates import SkyCoord
from astropy.wcs import WCS
from regions import EllipseSkyRegion, PointSkyRegion, Regions
both = [Regions.read(f'{sys.argv[1]}/sky.{kind}', format=form) for kind, form in (('reg', 'ds9'), ('crtf', 'crtf'))]
centre = SkyCoord(10.5 * units.deg, -45 * units.deg, frame='icrs')
for found in both:
    assert [type(one) for one in found] == [EllipseSkyRegion, PointSkyRegion, PointSkyRegion]
    assert found[0].center.frame.name == 'icrs' and found[0].center.separation(centre).arcsec < 1e-6
    assert found[1].center.separation(SkyCoord(359.5 * units.deg, 0.25 * units.deg, frame='icrs')).arcsec < 1e-6
for turn in (0, 25, 140):
    wcs = WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.crpix = ['RA---TAN', 'DEC--TAN'], [10.5, -45], [70, 70]
    scale, c, s = 0.2 / 3600, np.cos(np.radians(turn)), np.sin(np.radians(turn))
    wcs.wcs.cd = [[-scale * c, scale * s], [scale * s, scale * c]]
    one, other = (found[0].to_pixel(wcs).to_mask(mode='center').to_image((140, 140)) for found in both)
    assert one.sum() > 4000 and (one != other).sum() < 5
    for angle, inside in ((30, True), (210, True), (120, False), (-30, False)):
        x, y = wcs.world_to_pixel(centre.directional_offset_by(angle * units.deg, 9 * units.arcsec))
        assert bool(one[round(float(y)), round(float(x))]) == inside, (turn, angle)
print('drawn')
)");
  const auto [status, output] =
      testing::run_command(std::string(python) + " '" + (folder / "draw.py") + "' '" + folder.string() + "'");
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, HasSubstr("drawn\n"));
}

TEST(RegionsTest, WithoutPositionsAreRefused) {
  const Survey survey;
  CatalogRows rows = survey.rows(false);
  rows.fields.pop_back();
  try {
    lines_of(CatalogFormat::reg, rows);
    ADD_FAILURE() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(), HasSubstr("this table has no DELTA_J2000; extract images with a celestial WCS"));
  }
}

}  // namespace
}  // namespace srcextract
