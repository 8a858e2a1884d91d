#include "stages/convolve/median_filter.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// The median by sorting what there is in the window.
float sorted_median(const Field& field, std::int64_t x, std::int64_t y) {
  const auto [width, height] = field.shape;
  const auto at = [&, width = width](std::int64_t column, std::int64_t row) {
    return field.pixels[static_cast<std::size_t>(row * width + column)];
  };
  if (std::isnan(at(x, y))) return testing::nan;
  std::vector<float> window;
  for (std::int64_t row = std::max<std::int64_t>(y - 1, 0); row < std::min(y + 2, height); ++row)
    for (std::int64_t column = std::max<std::int64_t>(x - 1, 0); column < std::min(x + 2, width); ++column)
      if (!std::isnan(at(column, row))) window.push_back(at(column, row));
  std::sort(window.begin(), window.end());
  const std::size_t middle = window.size() / 2;
  return window.size() % 2 == 1 ? window[middle] : (window[middle - 1] + window[middle]) / 2;
}

template <class Where>
class MedianFilter : public StageTest<Where> {
 protected:
  std::vector<float> filtered(const Field& field) {
    const auto result = median_filter(this->image(field.shape, field.pixels), this->where());
    EXPECT_EQ(result.shape, field.shape);
    return this->backend().get(result.pixels);
  }
};
TYPED_TEST_SUITE(MedianFilter, Backends);

TYPED_TEST(MedianFilter, IsTheMiddleOfTheSortedWindow) {
  std::mt19937 random(1);
  std::int64_t even = 0;
  for (const Shape shape : {Shape{1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 3}, {4, 70}, {1031, 5}, {257, 300}})
    for (const double masked : {0.0, 0.02, 0.5, 1.0}) {
      Field field = testing::star_field(shape, 100, 3, 60, 7);
      for (float& pixel : field.pixels) {
        const double share = std::uniform_real_distribution<double>(0, 1)(random);
        if (share < masked)
          pixel = testing::nan;
        else if (share > 0.99)
          pixel = share > 0.995 ? infinity : 65535;
      }
      const std::vector<float> pixels = this->filtered(field);
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        const float want = sorted_median(field, i % shape.width, i / shape.width);
        const float got = pixels[static_cast<std::size_t>(i)];
        ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
            << i << " of " << shape.width << " x " << shape.height << ": " << got << ", " << want;
        even += want != std::round(want * 65536) / 65536 ? 1 : 0;
      }
    }
  EXPECT_GT(even, 0);
}

TYPED_TEST(MedianFilter, KeepsWhatIsWiderThanAPixel) {
  Field field{"", {12, 12}, std::vector<float>(144, 10)};
  field.pixels[3 * 12 + 3] = 1e6F;  // a hot pixel
  for (const std::size_t i : {0U, 1U, 2U, 12U, 13U, 14U, 24U, 25U, 26U})
    field.pixels[8 * 12 + 7 + i - 12] = 500;  // a square of 3
  const std::vector<float> pixels = this->filtered(field);
  EXPECT_EQ(pixels[3 * 12 + 3], 10);
  EXPECT_EQ(pixels[8 * 12 + 8], 500);
  EXPECT_EQ(*std::max_element(pixels.begin(), pixels.end()), 500);
}

/// Zeros of both signs: the bits are those of the CPU.
TYPED_TEST(MedianFilter, HasTheSameZerosEverywhere) {
  std::mt19937 random(2);
  Field field{"", {300, 70}, std::vector<float>(21000)};
  for (float& pixel : field.pixels) {
    const auto kind = random() % 7;
    pixel = kind == 6 ? testing::nan : kind == 5 ? 1.0F : kind == 4 ? -1.0F : kind % 2 == 0 ? 0.0F : -0.0F;
  }
  const Cpu one{1};
  Image<float, Cpu> image(field.shape, one);
  std::copy(field.pixels.begin(), field.pixels.end(), image.pixels.begin());
  const Image<float, Cpu> want = median_filter(image, one);
  const std::vector<float> got = this->filtered(field);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(want.pixels.begin()[i])) << i;
}

TEST(WhiteNoiseAfterMedian, IsThatOfFilteredNoise) {
  constexpr std::int64_t side = 1500;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const Cpu where{2};
  Image<float, Cpu> image({side, side}, where);
  std::generate(image.pixels.begin(), image.pixels.end(), [&] { return normal(random); });
  const Image<float, Cpu> medians = median_filter(image, where);
  for (const double fwhm : {0.0, 1.5, 2.0, 4.0}) {
    Kernel kernel{.weights = {1}};
    if (fwhm > 0) {
      ConvolveConfig config;
      config.kernel = KernelShape::gaussian;
      config.fwhm = fwhm;
      kernel = make_kernel(config);
    }
    double squares = 0, count = 0;
    for (std::int64_t y = 20; y < side - 20; y += 2)
      for (std::int64_t x = 20; x < side - 20; x += 2) {
        double sum = 0;
        for (int j = 0; j < kernel.height; ++j)
          for (int i = 0; i < kernel.width; ++i)
            sum += static_cast<double>(kernel.weights[static_cast<std::size_t>(j * kernel.width + i)]) *
                   static_cast<double>(
                       medians.pixels.begin()[(y + j - kernel.height / 2) * side + x + i - kernel.width / 2]);
        squares += sum * sum;
        ++count;
      }
    EXPECT_NEAR(white_noise_after_median(kernel) / std::sqrt(squares / count), 1, 0.01) << fwhm;
  }
}

}  // namespace
}  // namespace srcextract
