#include "stages/convolve/convolve.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using ::testing::HasSubstr;
using testing::StageTest;

using Values = std::vector<std::vector<double>>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr Edges all_edges[] = {Edges::zero, Edges::nearest, Edges::reflect};

Background background_at(double median) {
  Background background;
  background.clipped.median = median;
  return background;
}

Kernel kernel_of(const Values& values, bool normalize = false) {
  ConvolveConfig config;
  config.kernel = KernelShape::values;
  config.values = values;
  config.normalize = normalize;
  return make_kernel(config);
}

/// Values of which half are negative.
Values random_values(std::size_t width, std::size_t height, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Values values(height, std::vector<double>(width));
  for (auto& row : values) {
    for (double& value : row) value = static_cast<double>(normal(random));
  }
  return values;
}

/// An outer product, far from symmetric.
Values outer_values(std::size_t width, std::size_t height) {
  Values values(height, std::vector<double>(width));
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      values[y][x] = (1 + static_cast<double>(x)) / static_cast<double>(1 + y * y) / 64;
    }
  }
  return values;
}

enum class Masks { none, few, rows, half, all };

/// Noise and steep stars about 100; pixels at the corners masked first of all.
Field noisy_field(Shape shape, Masks masks, unsigned seed) {
  Field field = testing::star_field(shape, 100, 3, 60, seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const double share = masks == Masks::few ? 0.01 : masks == Masks::half ? 0.5 : masks == Masks::all ? 2 : 0;
  for (float& pixel : field.pixels) pixel = uniform(random) < share ? nan : pixel;
  if (masks == Masks::few) field.pixels.front() = field.pixels.back() = nan;
  if (masks == Masks::rows) {
    for (std::int64_t y = 0; y < shape.height; y += 23) {
      std::fill_n(field.pixels.begin() + y * shape.width, shape.width, nan);
    }
  }
  return field;
}

/// Where NumPy's pad has a row's pixel from: mode 'edge' and 'symmetric'. -1 = its constant.
std::int64_t padded_from(std::int64_t i, std::int64_t n, Edges edges) {
  if (edges == Edges::nearest) return std::clamp<std::int64_t>(i, 0, n - 1);
  if (edges == Edges::zero) return i == std::clamp<std::int64_t>(i, 0, n - 1) ? i : -1;
  const std::int64_t in_period = ((i % (2 * n)) + 2 * n) % (2 * n);
  return std::min(in_period, 2 * n - 1 - in_period);
}

/// The convolution as textbooks have it, in double: value (a, b) of the kernel, from its corner, is multiplied with the
/// pixel on the other side of the centre. Also the sum of the magnitudes of all products, for the tolerance.
struct Truth {
  std::vector<double> pixels, scale;
};
Truth convolve_slowly(const Field& field, const Values& values, Edges edges, double sky) {
  const auto [width, height] = field.shape;
  const auto kernel_width = static_cast<std::int64_t>(values.front().size());
  const auto kernel_height = static_cast<std::int64_t>(values.size());
  Truth truth;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      double sum = 0, magnitude = 0, here = 0, all = 0;
      for (std::int64_t b = 0; b < kernel_height; ++b) {
        const std::int64_t from_y = padded_from(y - (b - kernel_height / 2), height, edges);
        for (std::int64_t a = 0; a < kernel_width; ++a) {
          const std::int64_t from_x = padded_from(x - (a - kernel_width / 2), width, edges);
          const double value = values[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)];
          const bool outside = from_x < 0 || from_y < 0;
          const float pixel = outside ? 0 : field.pixels[static_cast<std::size_t>(from_y * width + from_x)];
          all += std::fabs(value);
          if (std::isnan(pixel)) continue;
          here += std::fabs(value);
          if (outside) continue;
          sum += value * (static_cast<double>(pixel) - sky);
          magnitude += std::fabs(value * (static_cast<double>(pixel) - sky));
        }
      }
      const bool masked = here == 0 || std::isnan(field.pixels[static_cast<std::size_t>(y * width + x)]);
      truth.pixels.push_back(masked ? static_cast<double>(nan) : sky + sum * (all / here));
      truth.scale.push_back(masked ? 0 : std::fabs(sky) + magnitude * (all / here));
    }
  }
  return truth;
}

/// As the header says that it is rounded, pixel by pixel.
float round_as_promised(const Field& field, const Kernel& kernel, Edges edges, float sky, std::int64_t x,
                        std::int64_t y) {
  const auto [width, height] = field.shape;
  const float centre = field.pixels[static_cast<std::size_t>(y * width + x)];
  float t = 0, here = 0, all = 0;
  for (int j = 0; j < kernel.height; ++j) {
    float r = 0, r_here = 0, r_all = 0;
    const std::int64_t from_y = padded_from(y + j - kernel.height / 2, height, edges);
    for (int i = 0; i < kernel.width; ++i) {
      const std::int64_t from_x = padded_from(x + i - kernel.width / 2, width, edges);
      const float pixel =
          from_x < 0 || from_y < 0 ? sky : field.pixels[static_cast<std::size_t>(from_y * width + from_x)];
      const float w = kernel.separable() ? kernel.along_x[static_cast<std::size_t>(i)]
                                         : kernel.weights[static_cast<std::size_t>(j * kernel.width + i)];
      r = std::fma(w, std::isnan(pixel) ? 0 : pixel - sky, r);
      r_here = std::fma(std::fabs(w), std::isnan(pixel) ? 0.0F : 1.0F, r_here);
      r_all = std::fma(std::fabs(w), 1.0F, r_all);
    }
    const float along_y = kernel.separable() ? kernel.along_y[static_cast<std::size_t>(j)] : 1;
    t = std::fma(along_y, r, t);
    here = std::fma(along_y, r_here, here);
    all = std::fma(along_y, r_all, all);
  }
  if (std::isnan(centre) || here == 0) return nan;
  const float tq = t * (all / here);
  return sky + tq;
}

struct Case {
  Shape shape;
  Values values;
};

/// Images smaller and larger than the kernel reaches, of one pixel, row and column, and that span several tiles.
std::vector<Case> cases() {
  return {{{1, 1}, {{2}}},
          {{40, 1}, random_values(15, 1, 1)},
          {{1, 40}, random_values(1, 15, 2)},
          {{1, 40}, {{0.5}}},
          {{31, 33}, random_values(3, 5, 3)},
          {{32, 32}, outer_values(15, 15)},
          {{33, 31}, random_values(33, 31, 4)},
          {{15, 15}, random_values(15, 15, 5)},
          {{70, 65}, random_values(63, 63, 6)},
          {{63, 63}, outer_values(63, 63)},
          {{1030, 65}, random_values(7, 7, 7)},
          {{1029, 131}, outer_values(9, 3)},
          {{67, 523}, random_values(9, 11, 8)}};
}

template <class Where>
class Convolve : public StageTest<Where> {
 protected:
  std::vector<float> convolved(const Field& field, const Kernel& kernel, Edges edges, double sky) {
    const auto result = convolve(this->image(field.shape, field.pixels), kernel, edges,
                                 this->backend().put_value(background_at(sky)), this->where());
    EXPECT_EQ(result.shape, field.shape);
    return this->backend().get(result.pixels);
  }

  /// Calls check(field, values, edges, pixels) for every combination; the sky is at 99.7.
  template <class Check>
  void for_all(Check&& check) {
    unsigned seed = 1;
    for (const Case& c : cases()) {
      const Kernel kernel = kernel_of(c.values);
      for (const Masks masks : {Masks::none, Masks::few, Masks::rows, Masks::half, Masks::all}) {
        if (kernel.weights.size() > 2000 && masks != Masks::few) continue;  // slow, the truth most of all
        for (const Edges edges : all_edges) {
          const Field field = noisy_field(c.shape, masks, ++seed);
          SCOPED_TRACE(::testing::Message() << c.shape.width << " x " << c.shape.height << ", kernel " << kernel.width
                                            << " x " << kernel.height << ", masks " << static_cast<int>(masks)
                                            << ", edges " << static_cast<int>(edges));
          check(field, c.values, kernel, edges, convolved(field, kernel, edges, 99.7));
        }
      }
    }
  }
};
TYPED_TEST_SUITE(Convolve, Backends);

TYPED_TEST(Convolve, IsTheConvolutionOfTheTextbook) {
  std::int64_t unmasked = 0;
  this->for_all(
      [&](const Field& field, const Values& values, const Kernel&, Edges edges, const std::vector<float>& pixels) {
        const Truth truth = convolve_slowly(field, values, edges, 99.7);
        for (std::size_t i = 0; i < pixels.size(); ++i) {
          ASSERT_EQ(std::isnan(pixels[i]), std::isnan(truth.pixels[i])) << "pixel " << i;
          if (std::isnan(pixels[i])) continue;
          ASSERT_NEAR(static_cast<double>(pixels[i]), truth.pixels[i], 1e-6 * truth.scale[i]) << "pixel " << i;
          ++unmasked;
        }
      });
  EXPECT_GT(unmasked, 1'000'000);
}

TYPED_TEST(Convolve, IsRoundedAsPromised) {
  this->for_all([&](const Field& field, const Values&, const Kernel& kernel, Edges edges,
                    const std::vector<float>& pixels) {
    for (std::int64_t i = 0; i < field.shape.count(); ++i) {
      const float want = round_as_promised(field, kernel, edges, 99.7F, i % field.shape.width, i / field.shape.width);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(pixels[static_cast<std::size_t>(i)]), std::bit_cast<std::uint32_t>(want))
          << "pixel " << i << ": " << pixels[static_cast<std::size_t>(i)] << " is not " << want;
    }
  });
}

TYPED_TEST(Convolve, LeavesTheSkyWhereItIs) {
  const Field flat{"flat", {40, 30}, std::vector<float>(1200, 0.1F)};
  for (const Edges edges : all_edges) {
    EXPECT_EQ(this->convolved(flat, kernel_of(random_values(5, 5, 9)), edges, static_cast<double>(0.1F)), flat.pixels);
  }
}

TYPED_TEST(Convolve, PutsTheKernelWhereAPixelIs) {
  Field dirac{"dirac", {9, 7}, std::vector<float>(63, 10)};
  dirac.pixels[3 * 9 + 4] = 11;
  const Values values = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const std::vector<float> pixels = this->convolved(dirac, kernel_of(values), Edges::zero, 10);
  for (std::size_t y = 0; y < 7; ++y) {
    for (std::size_t x = 0; x < 9; ++x) {
      const bool under = y >= 2 && y <= 4 && x >= 3 && x <= 5;
      EXPECT_EQ(pixels[y * 9 + x], 10 + (under ? static_cast<float>(values[y - 2][x - 3]) : 0)) << x << ' ' << y;
    }
  }
}

TYPED_TEST(Convolve, SharesTheWeightOfMaskedPixelsAmongTheOthers) {
  // Without the masked pixel the mean of the others: 4, then 12 / 3 * 3 over the two that are left.
  const Field field{"masked", {5, 1}, {4, 4, nan, 8, 4}};
  const std::vector<float> pixels = this->convolved(field, kernel_of({{1, 1, 1}}), Edges::nearest, 0);
  EXPECT_EQ(pixels[0], 12);
  EXPECT_EQ(pixels[1], 12);
  EXPECT_TRUE(std::isnan(pixels[2]));
  EXPECT_EQ(pixels[3], 18);
  EXPECT_EQ(pixels[4], 16);
}

TYPED_TEST(Convolve, MasksWhereNoWeightIsLeft) {
  const Field field{"masked", {5, 1}, {1, nan, 3, nan, 5}};
  const std::vector<float> pixels = this->convolved(field, kernel_of({{1, 0, 1}}), Edges::zero, 0);
  EXPECT_TRUE(std::isnan(pixels[2]));
  EXPECT_EQ(pixels[0], 0);  // beyond the edge is sky
}

TYPED_TEST(Convolve, MasksWhatIsBeyondFloat) {
  const Field field{"bright", {6, 1}, {3e38F, -3e38F, 1, 1, 1, 1}};
  const std::vector<float> pixels = this->convolved(field, kernel_of({{-2, 1, 2}}), Edges::zero, 0);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(pixels[i]), std::bit_cast<std::uint32_t>(nan)) << i;
  }
  EXPECT_EQ(pixels[4], 1);
}

TYPED_TEST(Convolve, TakesKernelsOfOnePixel) {
  const Field field = noisy_field({65, 33}, Masks::few, 4);
  const std::vector<float> pixels = this->convolved(field, kernel_of({{1}}), Edges::zero, 0);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(pixels[i]), std::bit_cast<std::uint32_t>(field.pixels[i])) << i;
  }
}

TYPED_TEST(Convolve, RefusesAKernelLargerThanTheImage) {
  const auto refusal = [&](Shape shape, const Kernel& kernel) {
    const Field field{"small", shape, std::vector<float>(static_cast<std::size_t>(shape.count()))};
    return testing::config_error([&] { this->convolved(field, kernel, Edges::zero, 0); });
  };
  EXPECT_THAT(refusal({4, 5}, kernel_of(random_values(5, 3, 1))),
              HasSubstr("5 x 3 pixels, is larger than the image, 4 x 5"));
  EXPECT_THAT(refusal({5, 2}, kernel_of(random_values(5, 3, 1))), HasSubstr("larger than the image"));
  EXPECT_THAT(refusal({0, 0}, kernel_of({{1}})), HasSubstr("larger than the image"));
}

TEST(ConvolveOnTheHost, DoesNotDependOnThreads) {
  const Field field = noisy_field({1300, testing::share(700)}, Masks::few, 11);
  Image<float, Cpu> image(field.shape, Cpu{1});
  std::copy(field.pixels.begin(), field.pixels.end(), image.pixels.begin());
  for (const Values& values : {random_values(15, 15, 3), outer_values(15, 15)}) {
    const auto bytes = [&](int threads) {
      const Background sky = background_at(100);
      const auto result = convolve(image, kernel_of(values), Edges::reflect, sky, Cpu{threads});
      std::vector<std::uint32_t> bits;
      for (const float pixel : result.pixels) bits.push_back(std::bit_cast<std::uint32_t>(pixel));
      return bits;
    };
    EXPECT_EQ(bytes(1), bytes(3));
  }
}

TEST(ConvolveOnTheHost, TakesKernelsOfAnySize) {
  unsigned seed = 20;
  for (const auto& [shape, values] : {Case{{4, 5}, random_values(5, 3, 1)}, Case{{1, 7}, random_values(5, 3, 2)},
                                      Case{{9, 8}, outer_values(31, 25)}, Case{{70, 40}, random_values(95, 3, 3)},
                                      Case{{40, 33}, outer_values(67, 151)}, Case{{530, 3}, outer_values(1, 71)}}) {
    const Field field = noisy_field(shape, Masks::few, ++seed);
    Image<float, Cpu> image(shape, Cpu{1});
    std::copy(field.pixels.begin(), field.pixels.end(), image.pixels.begin());
    const auto result = convolve_by_any(image, kernel_of_values(values, false), background_at(99.7), Cpu{2});
    const Truth truth = convolve_slowly(field, values, Edges::zero, 99.7);
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(std::isnan(result.pixels[i]), std::isnan(truth.pixels[at])) << values.size() << ", pixel " << i;
      if (std::isnan(result.pixels[i])) continue;
      ASSERT_NEAR(static_cast<double>(result.pixels[i]), truth.pixels[at], 1e-6 * truth.scale[at]) << "pixel " << i;
    }
  }
  EXPECT_EQ(convolve_by_any(Image<float, Cpu>({0, 0}, Cpu{1}), kernel_of({{1}}), background_at(0), Cpu{1}).shape,
            (Shape{0, 0}));
}

}  // namespace
}  // namespace srcextract
