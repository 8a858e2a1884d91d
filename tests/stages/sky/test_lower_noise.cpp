#include "stages/sky/lower_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "stages/sky/map_of_mesh.hpp"
#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

constexpr Shape shape{640, 640};
constexpr double sigma = 10;

std::vector<float> white(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, sigma);
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  for (float& pixel : pixels) pixel = static_cast<float>(normal(random));
  return pixels;
}

/// The mean of 3 x 3 pixels around each, on a torus: pixels that share their noise, of a third of its sigma.
std::vector<float> smoothed(const std::vector<float>& from) {
  std::vector<float> to(from.size());
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t x = 0; x < shape.width; ++x) {
      double sum = 0;
      for (int k = 0; k < 9; ++k) {
        const std::int64_t u = (x + k % 3 + shape.width - 1) % shape.width;
        const std::int64_t v = (y + k / 3 + shape.height - 1) % shape.height;
        sum += from[static_cast<std::size_t>(v * shape.width + u)];
      }
      to[static_cast<std::size_t>(y * shape.width + x)] = static_cast<float>(sum / 9);
    }
  }
  return to;
}

double rms_of(const std::vector<float>& pixels) {
  double squares = 0;
  for (const float pixel : pixels) squares += static_cast<double>(pixel) * static_cast<double>(pixel);
  return std::sqrt(squares / static_cast<double>(pixels.size()));
}

template <class Where>
class LowerNoise : public StageTest<Where> {
 protected:
  struct Found {
    double typical, of_pixels;
    std::vector<float> nodes;
  };

  /// The noise of `filtered`, which a filter that divides white noise by `divisor` made of `image`.
  Found find(const std::vector<float>& image, const std::vector<float>& filtered, double divisor,
             bool negated = false) {
    const auto before = this->image(shape, image), after = this->image(shape, filtered);
    const BackgroundConfig config;
    const auto sky = estimate_mesh(before, config, this->where());
    const auto noise = lower_noise(
        after, sky.mesh, sky.background, 1 / divisor, negated,
        [&] { return estimate_background(after, config, this->where()); }, config, this->where());
    return {fetch(noise.background, this->where()).clipped.sigma, fetch(sky.background, this->where()).clipped.sigma,
            this->backend().get(noise.mesh.rms)};
  }
};
TYPED_TEST_SUITE(LowerNoise, Backends);

TYPED_TEST(LowerNoise, OfIndependentPixelsIsWhatTheFilterMakesOfThem) {
  const std::vector<float> pixels = white(1), filtered = smoothed(pixels);
  const auto found = this->find(pixels, filtered, 3);
  EXPECT_NEAR(found.typical, rms_of(filtered), 0.02 * rms_of(filtered));
  // In the unit of pixels: 10 everywhere. A mesh has some 100 independent values below 0, a filter of 25 meshes.
  for (const float node : found.nodes) EXPECT_NEAR(node, sigma, 0.1 * sigma);
}

TYPED_TEST(LowerNoise, OfPixelsThatShareNoiseIsThatOfTheFilteredImage) {
  const std::vector<float> pixels = smoothed(white(2)), filtered = smoothed(pixels);
  const auto found = this->find(pixels, filtered, 3);
  EXPECT_NEAR(found.typical, rms_of(filtered), 0.03 * rms_of(filtered));
  EXPECT_GT(found.typical, 1.5 * rms_of(pixels) / 3);
}

/// Light on a third of the pixels, up to 10 sigma: a clip of all values takes most of it for noise.
TYPED_TEST(LowerNoise, ACrowdHardlyRaisesIt) {
  const std::vector<float> pixels = white(3);
  std::vector<float> crowded = pixels;
  std::mt19937 random(4);
  for (std::int64_t i = 0; i < shape.count(); ++i)
    if (i % shape.width % 9 < 5 && i / shape.width % 9 < 5)
      crowded[static_cast<std::size_t>(i)] += static_cast<float>(sigma) * static_cast<float>(random() % 10);
  const std::vector<float> alone = smoothed(pixels), filtered = smoothed(crowded);
  const auto found = this->find(pixels, filtered, 3);
  EXPECT_LT(rms_of(alone), 0.2 * rms_of(filtered));
  EXPECT_NEAR(found.typical, rms_of(alone), 0.1 * rms_of(alone));
}

/// Defects of 25 sigma on 2 % of the pixels, in every mesh.
TYPED_TEST(LowerNoise, PitsHardlyRaiseIt) {
  const std::vector<float> pixels = white(7);
  std::vector<float> pitted = pixels;
  for (std::int64_t i = 0; i < shape.count(); ++i)
    if (i % shape.width % 50 < 7 && i / shape.width % 40 < 6) pitted[static_cast<std::size_t>(i)] -= 250;
  const std::vector<float> alone = smoothed(pixels);
  const double found = this->find(pixels, smoothed(pitted), 3).typical;
  EXPECT_GT(found, 0.9 * rms_of(alone));
  EXPECT_LT(found, 1.8 * rms_of(alone));
}

/// Of the negated image, in which stars are below the sky, the noise is the same.
TYPED_TEST(LowerNoise, ACrowdHardlyRaisesThatOfANegatedImage) {
  std::vector<float> pixels = white(6), filtered = smoothed(pixels);
  const double alone = rms_of(filtered);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    float& pixel = filtered[static_cast<std::size_t>(i)];
    if (i % shape.width % 9 < 5 && i / shape.width % 9 < 5) pixel += 30;
    pixel = -pixel;
  }
  EXPECT_GT(rms_of(filtered), 3 * alone);
  EXPECT_NEAR(this->find(pixels, filtered, 3, true).typical, alone, 0.1 * alone);
}

TYPED_TEST(LowerNoise, OfAStepIsThatOfTheNoisierSideAtThatSide) {
  std::vector<float> pixels = white(5);
  for (std::int64_t i = 0; i < shape.count(); ++i)
    if (i % shape.width >= 320) pixels[static_cast<std::size_t>(i)] *= 6;
  const auto found = this->find(pixels, smoothed(pixels), 3);
  const std::int64_t width = 10;
  float quiet = std::numeric_limits<float>::infinity(), loud = 0;
  for (const float node : found.nodes) {
    quiet = std::min(quiet, node);
    loud = std::max(loud, node);
  }
  EXPECT_NEAR(loud / quiet, 6, 0.9);
  // The last node of the quiet side, 32 pixels from the step, has three quarters of the noise beyond it.
  for (std::int64_t y = 1; y < 9; ++y) {
    const auto node = [&](std::int64_t x) { return found.nodes[static_cast<std::size_t>(y * width + x)]; };
    EXPECT_GE(node(4), 0.74F * node(5));
    EXPECT_LT(node(3), 0.3F * node(5));
  }
}

/// Half of the image has three times the noise: the typical noise before and after the filter is that of different
/// nodes, but what the filter makes of it is the same everywhere.
TYPED_TEST(LowerNoise, OfTwoDepthsIsWhatTheFilterMakesOfEach) {
  std::vector<float> pixels = white(9);
  for (std::int64_t i = shape.count() / 2; i < shape.count(); ++i) pixels[static_cast<std::size_t>(i)] *= 3;
  const auto found = this->find(pixels, smoothed(pixels), 3);
  EXPECT_NEAR(found.typical / found.of_pixels, 1.0 / 3, 0.02);
}

TYPED_TEST(LowerNoise, MaskedPixelsDoNotCount) {
  std::vector<float> pixels = white(6), filtered = smoothed(pixels);
  for (std::int64_t i = 0; i < shape.count(); ++i)
    if (i % shape.width < 100 || i / shape.width % 7 == 0)
      filtered[static_cast<std::size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
  const auto found = this->find(pixels, filtered, 3);
  EXPECT_NEAR(found.typical, sigma / 3, 0.03 * sigma / 3);
  for (const float node : found.nodes) EXPECT_NEAR(node, sigma, 0.12 * sigma);
}

TYPED_TEST(LowerNoise, WithFewPixelsBelowTheSkyItIsTheClippedOne) {
  const std::vector<float> pixels = white(7);
  std::vector<float> filtered = smoothed(pixels);
  for (float& pixel : filtered) pixel += 2 * static_cast<float>(sigma) / 3;
  const auto found = this->find(pixels, filtered, 3);
  EXPECT_NEAR(found.typical, sigma / 3, 0.01 * sigma);
  for (const float node : found.nodes) EXPECT_NEAR(node, sigma, 0.1 * sigma);
}

/// The sum of ten squares has a short tail below its median. Of thresholds that count in that tail one pixel in a
/// thousand would be a source.
TYPED_TEST(LowerNoise, OfSquaresItIsAtLeastThatOfIndependentPixels) {
  std::vector<float> squares(static_cast<std::size_t>(shape.count()));
  for (unsigned seed = 11; seed < 21; ++seed) {
    const std::vector<float> plane = white(seed);
    for (std::size_t i = 0; i < plane.size(); ++i) squares[i] += plane[i] * plane[i];
  }
  std::vector<float> filtered = smoothed(squares), sorted = filtered;
  std::ranges::nth_element(sorted, sorted.begin() + std::ssize(sorted) / 2);
  const float middle = sorted[sorted.size() / 2];
  for (float& pixel : filtered) pixel -= middle;
  EXPECT_GT(this->find(squares, filtered, 3).typical, 0.8 * rms_of(filtered));
}

/// The noise of the meshes is 1 and 20; SExtractor's spline through them is negative beside the step.
TEST(NoiseBetweenNodesTest, BoundedStaysWithinTheNodesAndTheSplineDoesNot) {
  std::vector<float> pixels = white(8);
  for (std::int64_t i = 0; i < shape.count(); ++i)
    if (i / shape.width >= 320) pixels[static_cast<std::size_t>(i)] *= 20;
  Image<float, Cpu> image(shape, Cpu{1});
  std::ranges::copy(pixels, image.pixels.begin());
  const auto least_of = [&](NoiseBetweenNodes between) {
    BackgroundConfig config;
    config.rms_map = between;
    const SkyMesh<Cpu> mesh = estimate_mesh(image, config, Cpu{1}).mesh;
    MapOfMesh map = MapOfMesh::of_rms(mesh);
    const auto [lowest, highest] = std::ranges::minmax(mesh.rms);
    float least = std::numeric_limits<float>::infinity(), most = 0;
    const auto half_x = mesh.grid.mesh.width / 2, half_y = mesh.grid.mesh.height / 2;
    for (std::int64_t y = 0; y < shape.height; ++y) {
      for (std::int64_t x = 0; x < shape.width; ++x) {
        least = std::min(least, map.at(x, y));
        const bool between_nodes = x >= half_x && x < shape.width - half_x && y > half_y && y < shape.height - half_y;
        if (between_nodes) most = std::max(most, map.at(x, y));
      }
    }
    if (between == NoiseBetweenNodes::bounded) {
      EXPECT_GE(least, lowest);
      EXPECT_LE(most, highest);
    }
    return least;
  };
  EXPECT_LT(least_of(NoiseBetweenNodes::sextractor), 0);
  EXPECT_GT(least_of(NoiseBetweenNodes::bounded), 0.9 * sigma);
}

/// Noise that rises outwards, as that of an interferometer's map behind its primary beam: from 1 to 2.1 at the ragged
/// edge of a disc, or the straight edge of the image.
TEST(NoiseAtEdgesTest, GoesOnRisingBeyondTheCentresOfTheLastMeshes) {
  constexpr Shape square{640, 640};
  for (const bool disc : {false, true}) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    Image<float, Cpu> image(square, Cpu{1});
    const auto noise_at = [&](std::int64_t x, std::int64_t y) {
      const double dx = static_cast<double>(x) - 320, dy = static_cast<double>(y) - 320;
      const double out = disc ? std::hypot(dx, dy) : std::max(std::fabs(dx), std::fabs(dy));
      return out > 300 && disc ? std::numeric_limits<double>::quiet_NaN() : std::exp(0.75 * out * out / 1e5);
    };
    for (std::int64_t y = 0; y < square.height; ++y)
      for (std::int64_t x = 0; x < square.width; ++x)
        image.pixels[y * square.width + x] = static_cast<float>(noise_at(x, y) * normal(random));
    BackgroundConfig config;
    config.mesh_size = 40;
    config.mesh_beams = 10;
    const SkyMesh<Cpu> mesh = estimate_mesh(image, config, Cpu{1}).mesh;
    MapOfMesh map = MapOfMesh::of_rms(mesh);
    std::vector<double> ratio;
    for (std::int64_t y = 0; y < square.height; ++y)
      for (std::int64_t x = 0; x < square.width; ++x) {
        const double dx = static_cast<double>(x) - 320, dy = static_cast<double>(y) - 320;
        const double out = disc ? 300 - std::hypot(dx, dy) : 320 - std::max(std::fabs(dx), std::fabs(dy));
        if (out > 0 && out < 10) ratio.push_back(noise_at(x, y) / static_cast<double>(map.at(x, y)));
      }
    std::ranges::sort(ratio);
    EXPECT_NEAR(ratio[ratio.size() / 2], 1, 0.06) << disc;
    EXPECT_LT(ratio[ratio.size() * 95 / 100], 1.2) << disc;
  }
}

}  // namespace
}  // namespace srcextract
