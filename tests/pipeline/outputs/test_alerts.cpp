#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "pipeline/outputs/alerts/stamps.hpp"

namespace srcextract {
namespace {

TEST(StampFeatures, OfADipoleAndOfNothing) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> dipole = {3, -1, 0, nan};
  EXPECT_EQ(features_of(dipole, 1).nneg, 1);
  EXPECT_EQ(features_of(dipole, -1).nneg, 1);
  EXPECT_EQ(features_of(dipole, 1).nbad, 1);
  EXPECT_EQ(features_of(dipole, 1).sumrat, 0.5);
  EXPECT_EQ(features_of(dipole, -1).sumrat, -0.5);
  EXPECT_TRUE(std::isnan(features_of(std::vector<float>{nan, 0}, 1).sumrat));
}

TEST(CutStamp, IsMaskedBeyondTheImage) {
  Image<float, Cpu> image({3, 2}, {});
  for (int i = 0; i < 6; ++i) image.pixels[i] = static_cast<float>(i);
  const std::vector<float> corner = cut_stamp(image, {2, 0}, 3);
  ASSERT_EQ(corner.size(), 9u);
  const std::vector<std::size_t> beyond = {0, 1, 2, 5, 8};
  for (const std::size_t i : beyond) EXPECT_TRUE(std::isnan(corner[i])) << i;
  EXPECT_EQ(corner[3], 1);
  EXPECT_EQ(corner[4], 2);
  EXPECT_EQ(corner[6], 4);
  EXPECT_EQ(corner[7], 5);
}

}  // namespace
}  // namespace srcextract
