#include <gtest/gtest.h>

#include "survey/sky/sky_place.hpp"

namespace srcextract {
namespace {

TEST(MeanPlace, LiesBetweenPositions) {
  MeanPlace mean;
  EXPECT_FALSE(mean.value().is_known());
  mean.add(359, 10);
  mean.add(3, 10);
  EXPECT_NEAR(mean.value().ra, 1, 1e-4);
  EXPECT_NEAR(mean.value().dec, 10, 0.01);
  MeanPlace pole;
  for (const double ra : {0, 90, 180, 270}) pole.add(ra, 89);
  EXPECT_NEAR(pole.value().dec, 90, 1e-4);
  MeanPlace nowhere;
  nowhere.add(0, 0);
  nowhere.add(180, 0);
  EXPECT_FALSE(nowhere.value().is_known());
}

}  // namespace
}  // namespace srcextract
