#include "io/wcs/sexagesimal.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace srcextract {
namespace {

// Texts by astropy 7: Angle(x, "deg").to_string("hourangle" or "deg", sep=":", precision=n, pad=True, alwayssign=True).
TEST(Sexagesimal, EqualsAstropys) {
  EXPECT_EQ(sexagesimal_hours(187.70593075, 2), "12:30:49.42");
  EXPECT_EQ(sexagesimal_hours(0.00001, 3), "00:00:00.002");
  EXPECT_EQ(sexagesimal_degrees(-45.98765, 2), "-45:59:15.54");
  EXPECT_EQ(sexagesimal_degrees(12.39112, 1), "+12:23:28.0");
  EXPECT_EQ(sexagesimal_degrees(-0.001, 3, '.'), "-00.00.03.600");
}

TEST(Sexagesimal, ADayEndsWhereTheNextBegins) {
  EXPECT_EQ(sexagesimal_hours(359.9999999, 2), "00:00:00.00");
  EXPECT_EQ(sexagesimal_hours(359.99, 2), "23:59:57.60");
}

TEST(Sexagesimal, NothingIsSaidOfAnUnknownPlace) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sexagesimal_hours(unknown, 2), "");
  EXPECT_EQ(sexagesimal_degrees(unknown, 2), "");
}

}  // namespace
}  // namespace srcextract
