#include "stages/detect/filter_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stages/detect/false_discovery.hpp"
#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

template <class Where>
class FilterNoise : public StageTest<Where> {
 protected:
  double noise_of(const Shape& shape, const std::vector<float>& match, double sigma) {
    Levels levels;
    levels.sigma = sigma;
    return fetch(filter_noise(this->image(shape, match), this->backend().put_value(levels), this->where()),
                 this->where());
  }
};
TYPED_TEST_SUITE(FilterNoise, Backends);

/// A filtered image whose noise has that scatter, with sources in a part of the pixels, and masked pixels.
std::vector<float> filtered(const Shape& shape, double scatter, double covered, double offset) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(offset, scatter);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<float> match;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    match.push_back(static_cast<float>(noise(random)));
    if (share(random) < covered) match.back() = static_cast<float>(20 * scatter * share(random));
    if (i % 17 == 3) match.back() = std::numeric_limits<float>::quiet_NaN();
  }
  return match;
}

TYPED_TEST(FilterNoise, IsTheScatterOfTheNoise) {
  constexpr Shape shape{611, 407};
  for (const double sigma : {4.0, 1e-12, 1e12})
    for (const double scatter : {1.2, 2.0, 4.7, 25.0})
      for (const double covered : {0.0, 0.3})
        EXPECT_NEAR(this->noise_of(shape, filtered(shape, scatter * sigma, covered, 0), sigma) / scatter, 1, 0.02)
            << sigma << ", " << scatter << ", " << covered;
}

/// What is found may be fainter than the sky: then sources are on the other side of 0.
TYPED_TEST(FilterNoise, IsThatOfTheNegative) {
  constexpr Shape shape{611, 407};
  for (const double scatter : {0.5, 1.0, 2.0, 4.7}) {
    for (const double covered : {0.0, 0.05, 0.3}) {
      std::vector<float> match = filtered(shape, scatter * 4, covered, 0);
      const double noise = this->noise_of(shape, match, 4);
      EXPECT_NEAR(noise / std::max(scatter, 1.0), 1, 0.02) << scatter << ", " << covered;
      for (float& pixel : match) pixel = -pixel;
      EXPECT_EQ(this->noise_of(shape, match, 4), noise) << scatter << ", " << covered;
    }
  }
}

TYPED_TEST(FilterNoise, OfAnImageWithoutNoiseOfItsOwnIsInPixels) {
  constexpr Shape shape{611, 407};
  EXPECT_NEAR(this->noise_of(shape, filtered(shape, 3, 0, 0), 0), 3, 0.06);
}

/// A sky that is a little off, and chance in a small image, are no noise that pixels share.
TYPED_TEST(FilterNoise, OfIndependentPixelsIsOne) {
  for (const Shape shape : {Shape{611, 407}, Shape{64, 64}, Shape{31, 33}})
    for (const double scatter : {0.5, 1.0, 1.05})
      for (const double offset : {-0.2, 0.0, 0.2})
        EXPECT_EQ(this->noise_of(shape, filtered(shape, scatter * 4, 0.2, offset * 4), 4), 1) << shape.width;
}

TYPED_TEST(FilterNoise, OfNothingIsOne) {
  constexpr Shape shape{67, 41};
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), 0.0F, 5.0F, -5.0F, -1e30F})
    EXPECT_EQ(this->noise_of(shape, std::vector<float>(static_cast<std::size_t>(shape.count()), value), 4), 1) << value;
}

TYPED_TEST(FilterNoise, LeavesLevelsAsTheyAreToTheLastBitWhereItIsOne) {
  Levels levels;
  levels.zero_point = 100.1;
  levels.detection = 100.1 + 5 * 3.3;
  levels.in_noise = 5;
  auto raised = this->backend().put_value(levels);
  raise_levels(raised, this->backend().put_value(1.0), this->where());
  EXPECT_EQ(fetch(raised, this->where()), levels);
}

}  // namespace
}  // namespace srcextract
