#include "io/fits/julian_date.hpp"

#include <gtest/gtest.h>

namespace srcextract {
namespace {

// J2000.0, and dates of the Astronomical Almanac.
TEST(JulianDate, IsThatOfTheAlmanac) {
  EXPECT_EQ(julian_date("2000-01-01T12:00:00"), 2451545.0);
  EXPECT_EQ(julian_date("1858-11-17"), 2400000.5);
  EXPECT_EQ(julian_date("2024-02-29T18:00:00.000"), 2460370.25);
  EXPECT_NEAR(*julian_date("2000-01-01T12:00:43.2"), 2451545.0005, 1e-9);
  EXPECT_EQ(julian_date("31/12/99"), 2451543.5);  // as FITS had dates until 1999
}

TEST(JulianDate, IsUnknownWhereTheTextIsNoDate) {
  for (const char* text : {"", "12:00:00", "2023-02-29", "2000-01-01T", "2000-01-01 12:00:00", "2000-01-01T25:00:00",
                           "2000-01-01T12:00", "2000-01-01T12:00:00Z", "2000-01-01T12:00:00.1x", "-200-01-01"})
    EXPECT_FALSE(julian_date(text)) << text;
}

}  // namespace
}  // namespace srcextract
