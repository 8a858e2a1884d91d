#include "stages/weights/convolve_variance.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::nan;
using testing::StageTest;
using Floats = std::vector<float>;

template <class Where>
class ConvolveVarianceStage : public StageTest<Where> {
 protected:
  Floats convolved(const Shape& shape, const Floats& variance, const std::vector<std::vector<double>>& values) {
    ConvolveConfig config;
    config.kernel = KernelShape::values;
    config.values = values;
    const Image<float, Where> image =
        convolve_variance(this->image(shape, variance), make_kernel(config), Edges::zero, this->where());
    return this->backend().get(image.pixels);
  }
};
TYPED_TEST_SUITE(ConvolveVarianceStage, Backends);

TYPED_TEST(ConvolveVarianceStage, BeyondTheEdgesThereIsNone) {
  const Floats flat(12, 16.0F);
  EXPECT_EQ(this->convolved({4, 3}, flat, {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}),
            (Floats{9, 12, 12, 9, 12, 16, 16, 12, 9, 12, 12, 9}));
}

TYPED_TEST(ConvolveVarianceStage, WhatIsMaskedStaysSoAndHasNoWeight) {
  EXPECT_THAT(
      this->convolved({5, 1}, {4, nan, 4, 8, 8}, {{1, 2, 1}}),
      ::testing::ElementsAre(::testing::FloatEq(8.0F / 3), ::testing::IsNan(), ::testing::FloatEq(16.0F / 3), 7, 6));
}

/// As textbooks have it: value (i, j) of the kernel meets the pixel on the other side of the centre.
TYPED_TEST(ConvolveVarianceStage, EverySumIsTheOneThatIsAddedUpSlowly) {
  const std::vector<std::vector<double>> values = {{-1, 2, 0.5}, {3, 5, 1}, {0, 1, -0.25}};
  double all = 0;
  for (const auto& row : values)
    for (const double value : row) all += std::abs(value);
  const Shape shape{67, 41};
  std::mt19937 random(3);
  Floats variance(static_cast<std::size_t>(shape.count()));
  for (float& pixel : variance) pixel = std::uniform_real_distribution<float>(1, 1e6F)(random);
  const Floats result = this->convolved(shape, variance, values);
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t x = 0; x < shape.width; ++x) {
      double sum = 0;
      for (std::int64_t j = 0; j < 3; ++j) {
        for (std::int64_t i = 0; i < 3; ++i) {
          const std::int64_t u = x - i + 1, v = y - j + 1;
          if (u >= 0 && v >= 0 && u < shape.width && v < shape.height)
            sum += values[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] / all *
                   static_cast<double>(variance[static_cast<std::size_t>(v * shape.width + u)]);
        }
      }
      ASSERT_NEAR(static_cast<double>(result[static_cast<std::size_t>(y * shape.width + x)]), sum, 1) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace srcextract
