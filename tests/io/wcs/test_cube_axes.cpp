#include "io/wcs/cube_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/io/support/header_cards.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Pairs = std::vector<std::string>;

const Pairs frequencies = {"CTYPE3='FREQ'", "CRVAL3=1.4E9", "CRPIX3=2", "CDELT3=1E8", "CUNIT3='Hz'"};
const Pairs polarisations = {"CTYPE4='STOKES'", "CRVAL4=1", "CRPIX4=1", "CDELT4=1"};

std::string cube(Pairs cards, const Pairs& more = {}) {
  cards.insert(cards.end(), more.begin(), more.end());
  return testing::header(cards, 4);
}

std::vector<std::int64_t> numbers_of(const std::vector<CubePlane>& planes) {
  std::vector<std::int64_t> numbers;
  for (const CubePlane& plane : planes) numbers.push_back(plane.number);
  return numbers;
}

TEST(CubeAxes, OfChannelsAndPolarisations) {
  const std::string header = cube(frequencies, polarisations);
  const CubeAxes axes(header, {10, 10, 3, 4});
  EXPECT_EQ(axes.planes(), 12);
  const CubePlane plane = axes.plane(8);  // the second channel of U
  EXPECT_EQ(plane.channel, 1);
  EXPECT_EQ(plane.stokes, stokes_u);
  EXPECT_EQ(plane.polarisation, 2);
  EXPECT_DOUBLE_EQ(plane.frequency, 1.4e9);
  EXPECT_THAT(numbers_of(axes.channels_of(stokes_q, axes.plane(1))), ElementsAre(4, 5, 6));
}

TEST(CubeAxes, MayComeInAnyOrder) {
  const std::string header = cube({"CTYPE3='STOKES'", "CRVAL3=2", "CRPIX3=1", "CDELT3=-1", "CTYPE4='FREQ'",
                                   "CRVAL4=1.4", "CRPIX4=1", "CDELT4=0.1", "CUNIT4='GHz'"});
  const CubeAxes axes(header, {10, 10, 2, 3});
  EXPECT_THAT(numbers_of(axes.channels_of(stokes_i, axes.plane(1))), ElementsAre(2, 4, 6));
  EXPECT_DOUBLE_EQ(axes.plane(6).frequency, 1.6e9);
}

TEST(CubeAxes, WithoutTypesHaveChannelsButNoFrequencies) {
  const CubeAxes axes(testing::header({}, 3), {10, 10, 5});
  EXPECT_THAT(numbers_of(axes.channels_of(stokes_i, axes.plane(1))), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(axes.plane(3).channel, 2);
  EXPECT_EQ(axes.plane(3).frequency, 0);
}

TEST(CubeAxes, OfATimeAreKeptApart) {
  const std::string header = cube(frequencies, {"CTYPE4='TIME'"});
  const CubeAxes axes(header, {10, 10, 3, 2});
  EXPECT_THAT(numbers_of(axes.channels_of(stokes_i, axes.plane(5))), ElementsAre(4, 5, 6));
}

// For a line at 1.42 GHz: radio velocity c (1 - f / f0), optical velocity c (f0 / f - 1).
TEST(CubeAxes, OfVelocitiesHaveFrequencies) {
  const double line = 1.42e9, light = 299792458;
  const Pairs values = {"CRVAL3=1000", "CRPIX3=1", "CDELT3=100", "CUNIT3='km/s'", "RESTFRQ=1.42E9"};
  const auto frequency = [&](const std::string& type, const Pairs& more = {}) {
    Pairs cards = {"CTYPE3='" + type + "'"};
    cards.insert(cards.end(), values.begin(), values.end());
    const std::string header = cube(cards, more);
    return CubeAxes(header, {10, 10, 3}).plane(3).frequency;
  };
  const double velocity = 1.2e6;
  EXPECT_NEAR(frequency("VRAD"), line * (1 - velocity / light), 1);
  EXPECT_NEAR(frequency("VOPT"), line / (1 + velocity / light), 1);
  EXPECT_NEAR(frequency("VELO-LSR", {"VELREF=257"}), line * (1 - velocity / light), 1);
  EXPECT_NEAR(frequency("VELO-LSR", {"VELREF=1"}), line / (1 + velocity / light), 1);
  // Channels that are equal in frequency: df = -f0 / c (1 + v / c)^-2 dv at the reference.
  const double reference = line / (1 + 1e6 / light), step = -line / light / (1 + 1e6 / light) / (1 + 1e6 / light) * 1e5;
  EXPECT_NEAR(frequency("VOPT-F2W"), reference + 2 * step, 100);
  EXPECT_NEAR(frequency("FELO-HEL"), reference + 2 * step, 100);
  EXPECT_EQ(CubeAxes(cube({"CTYPE3='VRAD'", "CRVAL3=1000", "CDELT3=1"}), {10, 10, 3}).plane(1).frequency, 0);
  EXPECT_NEAR(
      CubeAxes(cube({"CTYPE3='WAVE'", "CRVAL3=0.2", "CRPIX3=1", "CDELT3=0.01"}), {10, 10, 3}).plane(2).frequency,
      light / 0.21, 1);
}

TEST(CubeAxes, OfAPlaneHaveLengthOneAndItsPlace) {
  const std::string header = cube(frequencies, polarisations);
  const FurtherAxes one = CubeAxes(header, {10, 10, 3, 1}).axes_of({3}, {}, false);
  EXPECT_EQ(one.count, 2U);
  for (const char* card :
       {"CTYPE3  = 'FREQ", "CRPIX3  =                  0.0", "CDELT3  =              1.0E+08", "CTYPE4  = 'STOKES"})
    EXPECT_THAT(one.cards, HasSubstr(card));
  EXPECT_THAT(CubeAxes(header, {10, 10, 3, 1}).axes_of({1, 2}, {1, 3}, true).cards,
              HasSubstr("CRPIX3  =                 1.25"));
  EXPECT_EQ(CubeAxes(header, {10, 10}).axes_of({1}, {}, false).count, 0U);
}

}  // namespace
}  // namespace srcextract
