#include "stages/detect/false_discovery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

/// Benjamini and Hochberg's rule over all p-values, sorted; of values in units of their noise.
double threshold_of_sorted(std::vector<double> significance, double rate) {
  std::sort(significance.begin(), significance.end(), std::greater<>());
  const auto count = static_cast<double>(significance.size());
  double threshold = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < significance.size(); ++i) {
    const double p = std::erfc(significance[i] / std::sqrt(2.0)) / 2;
    if (p <= rate * static_cast<double>(i + 1) / count) threshold = significance[i];
  }
  return threshold;
}

template <class Where>
class FalseDiscovery : public StageTest<Where> {
 protected:
  static constexpr Shape shape{301, 257};

  /// The threshold of an image above 100, where the noise of a pixel is `unit`, or that times what a map says.
  double threshold(const std::vector<float>& pixels, double unit, double rate, std::int64_t correlated,
                   const std::vector<float>& variance = {}) {
    Levels levels;
    levels.zero_point = 100;
    levels.detection = 100 + unit;
    levels.in_noise = 1;
    levels.noise_scale = unit;
    DetectionConfig config;
    config.false_discovery_rate = rate;
    config.correlated_pixels = correlated;
    Image<float, Where> map;
    if (!variance.empty()) map = this->image(shape, variance);
    NoiseMap<Where> noise;
    if (!variance.empty()) noise.variance = &map;
    auto found = this->backend().put_value(levels);
    const auto value = false_discovery_threshold(this->image(shape, pixels), found, noise, config, this->where());
    raise_levels(found, value, this->where());
    const double z = fetch(value, this->where());
    EXPECT_NEAR(fetch(found, this->where()).detection, 100 + z * unit, 1e-9);
    EXPECT_EQ(fetch(found, this->where()).in_noise, z);
    return z;
  }
};
TYPED_TEST_SUITE(FalseDiscovery, Backends);

std::int64_t count_above(const std::vector<double>& values, double level) {
  return std::ranges::count_if(values, [&](double value) { return value > level; });
}

/// Noise, and a share of pixels that are brighter.
std::vector<double> significances(unsigned seed, double bright, std::int64_t count) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 1);
  std::exponential_distribution<double> flux(0.2);
  std::bernoulli_distribution is_bright(bright);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(noise(random) + (is_bright(random) ? flux(random) : 0));
  return values;
}

TYPED_TEST(FalseDiscovery, IsTheRuleOfTheSortedValues) {
  unsigned seed = 0;
  for (const double bright : {0.0, 0.001, 0.02, 0.4}) {
    for (const double rate : {1e-5, 0.01, 0.2}) {
      for (const bool varies : {false, true}) {
        const auto values = significances(++seed, bright, this->shape.count());
        std::vector<float> pixels, variance;
        std::vector<double> stored;
        for (std::size_t i = 0; i < values.size(); ++i) {
          const float root = varies ? 0.5F + static_cast<float>(i % 97) / 50 : 1.0F;
          if (varies) variance.push_back(root * root);
          pixels.push_back(i % 31 == 5 ? std::numeric_limits<float>::quiet_NaN()
                                       : static_cast<float>(100 + 3 * static_cast<double>(root) * values[i]));
          if (i % 31 != 5) stored.push_back((static_cast<double>(pixels[i]) - 100) / (3 * static_cast<double>(root)));
        }
        const double found = this->threshold(pixels, 3, rate, 1, variance),
                     true_one = threshold_of_sorted(stored, rate);
        EXPECT_EQ(found * 256, std::round(found * 256));
        if (std::isinf(true_one)) {
          EXPECT_GE(found, *std::max_element(stored.begin(), stored.end())) << bright << ", " << rate;
        } else {
          // At a multiple of 1/256 the rule needs a little more than at the pixel itself.
          EXPECT_LE(count_above(stored, found + 1e-6), count_above(stored, true_one - 1e-6)) << bright << ", " << rate;
          EXPECT_LE(found, std::max(true_one, 1.0) + 0.06) << bright << ", " << rate;
        }
        EXPECT_EQ(this->threshold(pixels, 3, rate * (1 + 0.5 + 1.0 / 3), 3, variance), found);
      }
    }
  }
}

TYPED_TEST(FalseDiscovery, OfNothingButMaskedOrEqualPixelsIsHighEnough) {
  const auto count = static_cast<std::size_t>(this->shape.count());
  const float masked = std::numeric_limits<float>::quiet_NaN();
  EXPECT_GE(this->threshold(std::vector<float>(count, masked), 1, 0.01, 1), 1);
  const double z = this->threshold(std::vector<float>(count, 100.0F), 1, 0.01, 1);
  EXPECT_GT(z, 4);  // one of so many pixels of noise is above it in a hundredth of all images
  EXPECT_LT(z, 6);
}

}  // namespace
}  // namespace srcextract
