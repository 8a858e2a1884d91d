#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "pipeline/chain/find_sky.hpp"
#include "tests/support/radio_maps.hpp"

namespace srcextract {
namespace {

const PixelBeam beam{5.2, 3.8, 2.0};

/// A map of noise 1 that is crowded with sources of 3 to 3000.
Image<float, Cpu> crowded_map(std::int64_t side, unsigned seed) {
  Image<float, Cpu> image = correlated_noise({side, side}, beam, false, seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<MapGaussian> sources;
  for (std::int64_t i = 0; i < side * side / 2000; ++i)
    sources.push_back({3 / (0.001 + 0.999 * uniform(random)), static_cast<double>(side) * uniform(random),
                       static_cast<double>(side) * uniform(random), beam.major, beam.minor, beam.angle});
  add_gaussians(sources, image);
  return image;
}

/// The sky of a map as config/radio.yaml has it, with so many passes.
MeshSky<Cpu> sky_of(const Image<float, Cpu>& image, std::int64_t passes, double seed = 5) {
  Config config;
  config.background.mesh_size = 90;
  config.background.estimator = BackgroundEstimator::median;
  config.background.refine = passes;
  config.detection.threshold = std::min(3.0, seed);
  config.detection.seed = seed;
  config.resources.beam = beam;
  return estimate_sky(image, config, Cpu{1});
}

TEST(SecondSky, KnowsTheNoiseOfAMapWithoutSources) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Image<float, Cpu> image = correlated_noise({900, 900}, beam, false, seed);
    const double first = sky_of(image, 1).background->clipped.sigma,
                 second = sky_of(image, 2).background->clipped.sigma;
    // Hundred meshes of 180 independent values each know the noise to 0.6 %. A clip at 3 sigma makes it 1.5 % too
    // small.
    EXPECT_LT(std::abs(second - 1), 0.02) << seed;
    EXPECT_GT(second, first + 0.005) << seed;
  }
}

TEST(SecondSky, OfALowSeedMasksNoNoise) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Image<float, Cpu> image = correlated_noise({900, 900}, beam, false, seed);
    const Background first = *sky_of(image, 1).background, second = *sky_of(image, 2, 3.2).background;
    EXPECT_LT(std::abs(second.clipped.sigma - 1), 0.02) << seed;
    // Without noise above 2.6 sigma the level would be 0.07 lower, and the noise 6 % too small.
    EXPECT_NEAR(second.clipped.median, first.clipped.median, 0.008) << seed;
  }
}

TEST(SecondSky, IsHardlyRaisedBySources) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Image<float, Cpu> image = crowded_map(900, seed);
    const Background first = *sky_of(image, 1).background, second = *sky_of(image, 2).background;
    EXPECT_NEAR(second.clipped.sigma, 1, 0.03) << seed;
    // The wings of sources raise the level of the first pass.
    EXPECT_GT(first.clipped.median, 0.01) << seed;
    EXPECT_LT(second.clipped.median, first.clipped.median / 2) << seed;
    EXPECT_GT(second.clipped.median, -0.03) << seed;
  }
}

}  // namespace
}  // namespace srcextract
