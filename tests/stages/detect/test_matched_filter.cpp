#include "stages/detect/matched_filter.hpp"

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

template <class Where>
class MatchedFilter : public StageTest<Where> {};
TYPED_TEST_SUITE(MatchedFilter, Backends);

ConvolveConfig skewed() {
  ConvolveConfig config;
  config.kernel = KernelShape::values;
  config.values = {{1, 2, 0}, {3, 9, -1}, {0, 4, 1}};
  return config;
}

ConvolveConfig gaussian() {
  ConvolveConfig config;
  config.kernel = KernelShape::gaussian;
  config.fwhm = 2.5;
  return config;
}

/// The definition, in double, pixel by pixel: the kernel as it is written down, turned by 180 degrees over the image.
double match_at(const std::vector<float>& pixels, const std::vector<float>& rms, const Shape& shape,
                const Kernel& kernel, std::int64_t x, std::int64_t y) {
  double sum = 0, norm = 0;
  for (int j = 0; j < kernel.height; ++j) {
    for (int i = 0; i < kernel.width; ++i) {
      const std::int64_t column = x + i - kernel.width / 2, row = y + j - kernel.height / 2;
      if (column < 0 || row < 0 || column >= shape.width || row >= shape.height) continue;
      const auto place = static_cast<std::size_t>(row * shape.width + column);
      const double k = static_cast<double>(kernel.weights[static_cast<std::size_t>(j * kernel.width + i)]);
      const double value = static_cast<double>(pixels[place]) - 50, noise = static_cast<double>(rms[place]);
      if (std::isnan(value) || !(noise > 0)) continue;
      sum += k * value / (noise * noise);
      norm += k * k / (noise * noise);
    }
  }
  return sum / std::sqrt(norm);
}

/// Whatever the scale of the map is; in units of the image's own noise, or of the pixels where it has none.
TYPED_TEST(MatchedFilter, IsItsDefinition) {
  constexpr Shape shape{83, 41};
  for (const ConvolveConfig& config : {skewed(), gaussian()}) {
    const std::vector<std::pair<float, double>> units = {{1.0F, 7.0}, {1e-15F, 7.0}, {1e15F, 7.0}, {1.0F, 0.0}};
    for (const auto& [scale, sigma] : units) {
      std::mt19937 random(3);
      std::normal_distribution<float> noise(0, 1);
      std::vector<float> pixels, variance, rms;
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        rms.push_back(1.0F + static_cast<float>(i % 13));
        pixels.push_back(i % 19 == 3 ? std::numeric_limits<float>::quiet_NaN() : 50 + rms.back() * noise(random));
        variance.push_back(i % 19 == 3 ? pixels.back() : rms.back() * rms.back());
      }
      // What is told of the variance is but for a factor, which the scale of the noise has.
      Levels levels;
      levels.sigma = sigma;
      const double unit = sigma > 0 ? sigma : 1;
      levels.noise_scale = static_cast<double>(scale);
      for (float& v : variance) v = v / scale / scale;
      Background sky{};
      sky.clipped.median = 50;
      const auto map = this->image(shape, variance);
      NoiseMap<TypeParam> known;
      known.variance = &map;
      const Kernel kernel = make_kernel(config);
      const auto match =
          this->backend().get(matched_filter(this->image(shape, pixels), kernel, this->backend().put_value(sky),
                                             this->backend().put_value(levels), known, this->where())
                                  .pixels);
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (std::isnan(pixels[place])) {
          EXPECT_TRUE(std::isnan(match[place]));
        } else {
          const double truth = unit * match_at(pixels, rms, shape, kernel, i % shape.width, i / shape.width);
          ASSERT_NEAR(static_cast<double>(match[place]), truth, 2e-5 * (unit + std::abs(truth))) << i << ", " << scale;
        }
      }
    }
  }
}

/// Of noise that is the same all over it is the convolution over the root of the sum of the squares.
TYPED_TEST(MatchedFilter, OfEvenNoiseIsTheConvolution) {
  constexpr Shape shape{64, 50};
  const testing::Field field = testing::star_field(shape, 50, 4, 300, 5);
  Levels levels;
  levels.sigma = 4;
  Background sky{};
  sky.clipped.median = 50;
  const Kernel kernel = make_kernel(gaussian());
  const auto match =
      this->backend().get(matched_filter(this->image(shape, field.pixels), kernel, this->backend().put_value(sky),
                                         this->backend().put_value(levels), NoiseMap<TypeParam>{}, this->where())
                              .pixels);
  const std::vector<float> rms(field.pixels.size(), 4.0F);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const double truth = 4 * match_at(field.pixels, rms, shape, kernel, i % shape.width, i / shape.width);
    ASSERT_NEAR(static_cast<double>(match[static_cast<std::size_t>(i)]), truth, 1e-4 + 1e-5 * std::abs(truth)) << i;
  }
}

TYPED_TEST(MatchedFilter, HasLevelsInUnitsOfTheSky) {
  Levels levels;
  levels.sigma = 4;
  levels.in_noise = 5;
  levels.zero_point = 50;
  levels.detection = 70;
  const Levels found = fetch(levels_of_match(this->backend().put_value(levels), this->where()), this->where());
  EXPECT_EQ(found.detection, 20);
  EXPECT_EQ(found.zero_point, 0);
}

}  // namespace
}  // namespace srcextract
