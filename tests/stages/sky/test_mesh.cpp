#include "stages/sky/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

template <class Where>
class Mesh : public StageTest<Where> {
 protected:
  struct Found {
    std::vector<float> level, rms, above;
    Background background;
  };

  Found find(const Shape& shape, const std::vector<float>& pixels, std::int64_t mesh, std::int64_t filter = 3) {
    Image<float, Where> image;
    image.shape = shape;
    image.pixels = this->backend().put(pixels);
    BackgroundConfig config;
    config.mesh_size = mesh;
    config.filter_size = filter;
    const MeshSky<Where> sky = estimate_mesh(image, config, this->where());
    return {this->backend().get(sky.mesh.level), this->backend().get(sky.mesh.rms),
            this->backend().get(subtract_sky(image, sky.mesh, this->where()).pixels),
            fetch(sky.background, this->where())};
  }
};
TYPED_TEST_SUITE(Mesh, Backends);

std::vector<float> noise(const Shape& shape, double mean, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(mean, sigma);
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  for (float& pixel : pixels) pixel = static_cast<float>(normal(random));
  return pixels;
}

TYPED_TEST(Mesh, WhiteNoiseHasItsMeanAndSigmaInEveryMesh) {
  const Shape shape{640, 512};
  const auto found = this->find(shape, noise(shape, 100, 7, 3), 64, 1);
  ASSERT_EQ(found.level.size(), 80U);
  // The error of a clipped mean of 4096 pixels is sigma / 64, that of its sigma a little less; 2.5 median - 1.5 mean
  // has more: a median's error is 1.25 times the mean's.
  for (std::size_t i = 0; i < found.level.size(); ++i) {
    EXPECT_NEAR(found.level[i], 100, 5 * 2.5 * 7 / 64);
    EXPECT_NEAR(found.rms[i], 7, 5 * 7.0 / 64);
  }
  EXPECT_EQ(found.background.all.count, shape.count());
  EXPECT_EQ(found.background.mesh.width, 10);
  EXPECT_EQ(found.background.mesh.height, 8);
  EXPECT_EQ(found.background.mesh.bad, 0);
}

/// As in SExtractor, nodes stand half a pixel too high in y: a slope of s a pixel leaves s / 2.
TYPED_TEST(Mesh, ASlopeIsSubtracted) {
  const Shape shape{700, 500};
  std::vector<float> pixels = noise(shape, 0, 1, 4);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const std::int64_t x = i % 700, y = i / 700;
    pixels[static_cast<std::size_t>(i)] +=
        static_cast<float>(0.05 * static_cast<double>(x) - 0.02 * static_cast<double>(y));
  }
  const auto found = this->find(shape, pixels, 50);
  double sum = 0, squares = 0;
  for (std::int64_t y = 50; y < 450; ++y) {
    for (std::int64_t x = 50; x < 650; ++x) {
      const double above = found.above[static_cast<std::size_t>(y * 700 + x)];
      sum += above;
      squares += above * above;
    }
  }
  EXPECT_NEAR(sum / 240'000, 0, 0.02);
  EXPECT_NEAR(std::sqrt(squares / 240'000), 1, 0.02);
}

/// The same bits, wherever they are written; meshes of 24 and 50 pixels are no power of two, 31 is no multiple of four.
TEST(MeshOnTheHost, WhatIsAboveTheSkyIsTheSameInTheImagesMemory) {
  for (const std::int64_t mesh : {24, 31, 50, 64}) {
    const Shape shape{333, 205};
    std::vector<float> pixels = noise(shape, 100, 7, 5);
    pixels[1234] = std::numeric_limits<float>::quiet_NaN();
    Image<float, Cpu> image(shape, Cpu{2});
    std::ranges::copy(pixels, image.pixels.begin());
    BackgroundConfig config;
    config.mesh_size = mesh;
    const SkyMesh<Cpu> sky = estimate_mesh(image, config, Cpu{2}).mesh;
    const Image<float, Cpu> apart = subtract_sky(image, sky, Cpu{2});
    const float* const memory = image.pixels.data();
    const Image<float, Cpu> in_place = subtract_sky(std::move(image), sky, Cpu{2});
    EXPECT_EQ(in_place.pixels.data(), memory);
    ASSERT_EQ(in_place.pixels.size(), shape.count());
    EXPECT_EQ(0, std::memcmp(in_place.pixels.data(), apart.pixels.data(), sizeof(float) * pixels.size()));
    EXPECT_TRUE(std::isnan(in_place.pixels[1234]));
    EXPECT_NE(in_place.pixels[0], pixels[0]);
  }
}

/// Whole numbers from 0 to 1023, each as often, of which no clip takes any, in one mesh of more than 2^24 pixels.
TYPED_TEST(Mesh, AMeshOfManyPixelsHasTheirMeanAndSigma) {
  const Shape shape{4104, 4104};
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 389 % 1024);
  const auto found = this->find(shape, pixels, 5000);
  ASSERT_EQ(found.level.size(), 1U);
  const double sigma = 1024 / std::sqrt(12.0);
  // A bin is 10 sigma / 4096 wide, and 2.5 medians are in the level.
  EXPECT_NEAR(found.level[0], 511.5, 2.5 * sigma * 10 / 4096);
  EXPECT_NEAR(found.rms[0], sigma, sigma * 10 / 4096);
}

TYPED_TEST(Mesh, AConstantImageIsItsOwnSky) {
  const auto found = this->find({100, 70}, std::vector<float>(7000, 7.25F), 64);
  for (const float level : found.level) EXPECT_EQ(level, 7.25F);
  for (const float rms : found.rms) EXPECT_EQ(rms, 0);
  for (const float above : found.above) EXPECT_EQ(above, 0);
  EXPECT_EQ(found.background.clipped.sigma, 0);  // SExtractor: 1
}

TYPED_TEST(Mesh, ABadMeshTakesTheMeanOfTheNearest) {
  // Levels 10, 20, 30 along x, and the middle column masked: both neighbours are as near.
  const Shape shape{96, 32};
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const std::int64_t mesh = i % 96 / 32;
    pixels[static_cast<std::size_t>(i)] =
        mesh == 1 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(10 + 10 * mesh);
  }
  const auto found = this->find(shape, pixels, 32, 1);
  EXPECT_EQ(found.level, (std::vector<float>{10, 20, 30}));
  EXPECT_EQ(found.background.mesh.bad, 1);
  EXPECT_EQ(found.background.all.count, 2048);
  EXPECT_TRUE(std::isnan(found.above[40]));
}

TYPED_TEST(Mesh, AnImageWithoutPixelsToLookAtHasNoSky) {
  const auto found = this->find({40, 40}, std::vector<float>(1600, std::numeric_limits<float>::quiet_NaN()), 16);
  EXPECT_EQ(found.background.all.count, 0);
  for (const float level : found.level) EXPECT_EQ(level, 0);
  for (const float rms : found.rms) EXPECT_EQ(rms, 1);
}

TYPED_TEST(Mesh, TheFilterTakesAMeshThatASourceFills) {
  const Shape shape{320, 320};
  std::vector<float> pixels = noise(shape, 50, 2, 9);
  for (std::int64_t y = 128; y < 192; ++y)
    for (std::int64_t x = 128; x < 192; ++x) pixels[static_cast<std::size_t>(y * 320 + x)] += 1000;
  EXPECT_GT(this->find(shape, pixels, 64, 1).level[12], 900);
  EXPECT_NEAR(this->find(shape, pixels, 64, 3).level[12], 50, 1);
}

}  // namespace
}  // namespace srcextract
