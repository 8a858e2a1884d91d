#include "stages/measure/empty_apertures.hpp"

#include <cmath>
#include <random>

#include "stages/detect/label.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Field;

constexpr Shape wide{700, 640};

Field white_noise(const Shape& shape, double sigma, unsigned seed) {
  Field field{"white", shape, std::vector<float>(static_cast<std::size_t>(shape.count()))};
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  for (float& pixel : field.pixels) pixel = static_cast<float>(noise(random));
  return field;
}

std::size_t place(std::int64_t x, std::int64_t y) {
  return static_cast<std::size_t>(y * wide.width + x);
}

/// White noise of which every pixel is the mean of `side` x `side`, made so loud that a pixel has a sigma of 1.
Field boxed_noise(std::int64_t side, unsigned seed) {
  const Field white = white_noise(wide, 1, seed);
  Field field{"boxed", wide, std::vector<float>(white.pixels.size())};
  for (std::int64_t y = 0; y < wide.height; ++y) {
    for (std::int64_t x = 0; x < wide.width; ++x) {
      double sum = 0;
      for (std::int64_t i = 0; i < side * side; ++i)
        sum += static_cast<double>(white.pixels[place((x + i % side) % wide.width, (y + i / side) % wide.height)]);
      field.pixels[place(x, y)] = static_cast<float>(sum / static_cast<double>(side));
    }
  }
  return field;
}

/// What a sum over the circle scatters by in such noise: each white pixel counts as often as boxes of the circle hold
/// it.
double scatter_of_boxed(double radius, int side) {
  const int reach = static_cast<int>(radius) + side;
  double squares = 0;
  for (int v = -reach; v <= reach; ++v) {
    for (int u = -reach; u <= reach; ++u) {
      int boxes = 0;
      for (int i = 0; i < side * side; ++i) {
        const int dx = u - i % side, dy = v - i / side;
        boxes += dx * dx + dy * dy <= radius * radius + 1e-9 ? 1 : 0;
      }
      squares += boxes * boxes;
    }
  }
  return std::sqrt(squares) / side;
}

/// What is measured between the sources of a mask, where pixels have a sigma of 1 unless they have variances.
struct Sky {
  Field pixels;
  Field sources = {"", {}, {}};  ///< 1: of one, if it has at least 9 pixels
  Field variances = {"", {}, {}};
  Levels levels = {.sigma = 1};

  ApertureNoise measure(int threads = 2) const {
    const Cpu where{threads};
    const Image<float, Cpu> image = put(pixels);
    const Field nothing{"nothing", pixels.shape, std::vector<float>(pixels.pixels.size())};
    const Image<float, Cpu> mask = put(sources.pixels.empty() ? nothing : sources);
    const Image<float, Cpu> variance = variances.pixels.empty() ? Image<float, Cpu>() : put(variances);
    const Runs<Cpu> runs = find_runs(mask, testing::put_levels(Backend<Cpu>(), 0.5), where);
    DetectionConfig detection;
    detection.min_area = 9;
    const Components<Cpu> components = label_components(runs, detection, where);
    return measure_empty_apertures({image, variance, runs, components.label, levels, nullptr, !variance.pixels.empty()},
                                   where);
  }

 private:
  static Image<float, Cpu> put(const Field& field) {
    Image<float, Cpu> image;
    image.shape = field.shape;
    image.pixels = Backend<Cpu>().put(field.pixels);
    return image;
  }
};

TEST(EmptyApertures, OfWhiteNoiseScatterByTheRootOfTheirPixels) {
  const ApertureNoise noise = Sky{white_noise(wide, 1, 1)}.measure();
  ASSERT_TRUE(noise.measured);
  ASSERT_EQ(noise.radii.size(), 7U);
  EXPECT_EQ(noise.radii.front().pixels, 9);
  EXPECT_EQ(noise.radii.at(2).pixels, 29);
  EXPECT_EQ(noise.radii.back().pixels, 441);
  for (const EmptyApertures& one : noise.radii) {
    EXPECT_NEAR(one.scatter / std::sqrt(static_cast<double>(one.pixels)), 1,
                4 * 1.17 / std::sqrt(static_cast<double>(one.apertures)));
    EXPECT_LE(one.apertures, most_empty_apertures);
    EXPECT_GT(one.apertures, 400);
  }
  for (const double pixels : {1.0, 10.0, 100.0, 1000.0}) EXPECT_NEAR(noise.law.factor(pixels), 1, 0.06) << pixels;
}

TEST(EmptyApertures, OfNoiseThatNeighboursShareScatterByWhatTheyShare) {
  for (const int side : {2, 3}) {
    const ApertureNoise noise = Sky{boxed_noise(side, 2)}.measure();
    ASSERT_TRUE(noise.measured);
    for (const EmptyApertures& one : noise.radii) {
      const double truth = scatter_of_boxed(one.radius, side);
      EXPECT_NEAR(one.scatter / truth, 1, 4 * 1.17 / std::sqrt(static_cast<double>(one.apertures))) << one.radius;
      const auto pixels = static_cast<double>(one.pixels);
      EXPECT_NEAR(noise.law.factor(pixels) * std::sqrt(pixels) / truth, 1, 0.1) << one.radius;
    }
    EXPECT_GT(noise.law.beta, 0.5);
    EXPECT_GT(noise.law.factor(100), 0.8 * side);
  }
}

TEST(EmptyApertures, KeepClearOfSourcesAndOfBadPixels) {
  Sky sky{white_noise(wide, 1, 3)};
  sky.sources = {"squares", wide, std::vector<float>(sky.pixels.pixels.size())};
  Sky bad = sky;
  bad.sources = {};
  for (std::int64_t y = 0; y < wide.height; ++y) {
    for (std::int64_t x = 0; x < wide.width; ++x) {
      const std::int64_t u = x % 50, v = y % 50;
      if (u >= 20 || v >= 20) continue;
      sky.pixels.pixels[place(x, y)] += 1000;
      sky.sources.pixels[place(x, y)] = u >= 2 && v >= 2 && u < 18 && v < 18 ? 1.0F : 0.0F;
      bad.pixels.pixels[place(x, y)] = testing::nan;
    }
  }
  for (const ApertureNoise& noise : {sky.measure(), bad.measure()}) {
    ASSERT_TRUE(noise.measured);
    for (const EmptyApertures& one : noise.radii) {
      if (one.apertures < least_empty_apertures) continue;
      EXPECT_NEAR(one.scatter / std::sqrt(static_cast<double>(one.pixels)), 1,
                  4.5 * 1.17 / std::sqrt(static_cast<double>(one.apertures)))
          << one.radius;
    }
    EXPECT_NEAR(noise.law.factor(50), 1, 0.1);
  }
}

/// Where nothing was exposed all pixels are equal, and no noise.
TEST(EmptyApertures, AreNotInPadding) {
  for (const float padding : {0.0F, 7.5F}) {
    Sky sky{boxed_noise(3, 12)};
    const ApertureNoise whole = sky.measure();
    for (std::int64_t y = 0; y < wide.height; ++y)
      for (std::int64_t x = wide.width / 2; x < wide.width; ++x) sky.pixels.pixels[place(x, y)] = padding;
    const ApertureNoise half = sky.measure();
    ASSERT_TRUE(whole.measured && half.measured);
    EXPECT_NEAR(half.law.factor(50) / whole.law.factor(50), 1, 0.12) << padding;
    for (std::size_t i = 0; i < half.radii.size(); ++i)
      EXPECT_LT(half.radii[i].apertures, 0.6 * whole.radii[i].apertures);
  }
}

/// Of pairs of pixels, too small for a source, every place counts: else noise would lose what is above the threshold.
TEST(EmptyApertures, CountWhatIsAboveTheThresholdAndOfNoSource) {
  Sky sky{white_noise(wide, 1, 4)};
  sky.sources = {"pairs", wide, std::vector<float>(sky.pixels.pixels.size())};
  for (std::int64_t y = 0; y < wide.height; y += 6)
    for (std::int64_t x = 0; x + 1 < wide.width; x += 6)
      sky.sources.pixels[place(x, y)] = sky.sources.pixels[place(x + 1, y)] = 1;
  EXPECT_EQ(sky.measure(), (Sky{sky.pixels}.measure()));
}

TEST(EmptyApertures, AreInUnitsOfTheNoiseThatAMapTells) {
  Sky sky{white_noise(wide, 1, 5)};
  sky.variances = sky.pixels;
  sky.levels.noise_scale = 0.5;
  for (std::int64_t y = 0; y < wide.height; ++y) {
    for (std::int64_t x = 0; x < wide.width; ++x) {
      const float sigma = 1 + 9 * static_cast<float>(x) / static_cast<float>(wide.width);
      sky.pixels.pixels[place(x, y)] *= sigma;
      sky.variances.pixels[place(x, y)] = 4 * sigma * sigma;
    }
  }
  const ApertureNoise noise = sky.measure();
  ASSERT_TRUE(noise.measured);
  for (const EmptyApertures& one : noise.radii)
    EXPECT_NEAR(one.scatter / std::sqrt(static_cast<double>(one.pixels)), 1,
                4 * 1.17 / std::sqrt(static_cast<double>(one.apertures)));
}

TEST(EmptyApertures, TellNothingWhereThereIsNoRoom) {
  const ApertureNoise nothing;
  for (const Shape shape : {Shape{0, 0}, Shape{1, 1}, Shape{5, 4000}, Shape{60, 60}}) {
    const ApertureNoise noise = Sky{white_noise(shape, 1, 6)}.measure();
    EXPECT_FALSE(noise.measured) << shape.width;
    EXPECT_EQ(noise.law, nothing.law);
    EXPECT_EQ(noise.radii.size(), 7U);
  }
  const Field zeros{"zeros", wide, std::vector<float>(static_cast<std::size_t>(wide.count()))};
  EXPECT_FALSE(Sky{zeros}.measure().measured);
  EXPECT_EQ(nothing.law.factor(1e6), 1);
}

TEST(EmptyApertures, AreTheSameForAnyNumberOfThreads) {
  const Sky sky{boxed_noise(2, 7)};
  const ApertureNoise one = sky.measure(1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(sky.measure(threads), one) << threads;
}

/// alpha N^beta over N^(1/2), and never less than 1.
TEST(NoiseLaw, GrowsAsItsPowerOverThatOfIndependentPixels) {
  const NoiseLaw law{0.5, 0.75};
  EXPECT_NEAR(law.factor(256), 2, 1e-12);
  EXPECT_NEAR(law.variance_factor(256), 4, 1e-12);
  EXPECT_NEAR(law.factor(10'000), 5, 1e-12);
  EXPECT_EQ(law.factor(9), 1);
  EXPECT_EQ(law.factor(0), 1);
  EXPECT_EQ(law.factor(std::nan("")), 1);
}

}  // namespace
}  // namespace srcextract
