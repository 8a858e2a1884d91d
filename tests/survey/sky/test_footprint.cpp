#include "survey/sky/footprint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

#include "stages/core/error.hpp"
#include "tests/io/support/header_cards.hpp"

namespace srcextract {
namespace {

constexpr int width = 300, height = 200;

/// A gnomonic frame of one arc minute a pixel whose middle is at a place.
std::string tan_frame(double ra, double dec) {
  return testing::header({"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'", "CRVAL1=" + std::to_string(ra),
                          "CRVAL2=" + std::to_string(dec), "CRPIX1=150.5", "CRPIX2=100.5", "CDELT1=-0.0166666666666667",
                          "CDELT2=0.0166666666666667"});
}

/// Truth by spherical trigonometry (Calabretta & Greisen 2002, A&A 395, 1077, eqs. 5 and 54): standard coordinates.
bool is_within(double ra, double dec, double of_ra, double of_dec) {
  const double a = (ra - of_ra) * degree, d = dec * degree, d0 = of_dec * degree;
  const double depth = std::sin(d) * std::sin(d0) + std::cos(d) * std::cos(d0) * std::cos(a);
  if (depth <= 0) return false;
  const double x = std::cos(d) * std::sin(a) / depth / degree * 60;
  const double y = (std::sin(d) * std::cos(d0) - std::cos(d) * std::sin(d0) * std::cos(a)) / depth / degree * 60;
  return std::fabs(x) < width / 2.0 && std::fabs(y) < height / 2.0;
}

TEST(Footprint, ContainsWhatTheFrameShows) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(-4, 4);
  for (const auto& [ra, dec] : {std::pair(0.0, 0.0), std::pair(359.99, -40.0), std::pair(120.0, 89.5),
                                std::pair(200.0, -90.0), std::pair(77.0, 63.0)}) {
    const Footprint frame(tan_frame(ra, dec), {width, height});
    int inside = 0;
    for (int i = 0; i < 2000; ++i) {
      const double delta = std::clamp(dec + anywhere(random), -90.0, 90.0);
      const double alpha = std::fabs(dec) > 85 ? 45 * anywhere(random) : ra + anywhere(random) / std::cos(dec * degree);
      const bool truth = is_within(alpha, delta, ra, dec);
      inside += truth ? 1 : 0;
      EXPECT_EQ(frame.contains(direction_of(alpha, delta)), truth) << ra << ' ' << dec << ": " << alpha << ' ' << delta;
    }
    EXPECT_GT(inside, 100);
    EXPECT_NEAR(angle_between(frame.middle(), direction_of(ra, dec)), 0, 1e-6);
    EXPECT_NEAR(frame.radius(), std::atan(std::hypot(width, height) / 2 / 60 * degree) / degree, 1e-6);
    EXPECT_FALSE(frame.contains(direction_of(ra + 180, -dec)));
  }
}

TEST(Footprint, HasAllPointsOfItsGrid) {
  const std::string header = tan_frame(10, 20);
  const Footprint frame(header, {width, height});
  const std::vector<Direction> grid = grid_on_sky(header, {width, height}, 16);
  EXPECT_EQ(grid.size(), 256U);
  for (const Direction& point : grid) EXPECT_TRUE(frame.contains(point));
}

TEST(Footprint, NeedsAPlaceOnTheSky) {
  EXPECT_THROW(Footprint(testing::header({}), {width, height}), Error);
  const std::string all_sky = testing::header({"CTYPE1='RA---AIT'", "CTYPE2='DEC--AIT'", "CRVAL1=0", "CRVAL2=0",
                                               "CRPIX1=150.5", "CRPIX2=100.5", "CDELT1=-1.2", "CDELT2=1.2"});
  EXPECT_THROW(Footprint(all_sky, {width, height}), Error);
}

TEST(AngleBetween, IsThatOfTheGreatCircle) {
  EXPECT_NEAR(angle_between(direction_of(0, 0), direction_of(90, 0)), 90, 1e-12);
  EXPECT_NEAR(angle_between(direction_of(10, 30), direction_of(190, 50)), 100, 1e-12);
  EXPECT_NEAR(angle_between(direction_of(10, 30), direction_of(10, 30.000001)), 1e-6, 1e-12);
}

}  // namespace
}  // namespace srcextract
