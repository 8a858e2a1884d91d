#include "stages/sky/mask_bright.hpp"

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

template <class Where>
class MaskBright : public StageTest<Where> {
 protected:
  std::vector<float> mask(const Shape& shape, const std::vector<float>& pixels, const BrightRule& rule) {
    Image<float, Where> image;
    image.shape = shape;
    image.pixels = this->backend().put(pixels);
    BackgroundConfig config;
    config.mesh_size = 32;
    const MeshSky<Where> sky = estimate_mesh(image, config, this->where());
    return this->backend().get(mask_bright(image, sky.mesh, rule, this->where()).pixels);
  }
};
TYPED_TEST_SUITE(MaskBright, Backends);

/// Noise of 2 about 50, whose pixels never reach 4 sigma, with some pixels far above and as many far below.
struct Spots {
  Shape shape{157, 131};
  std::vector<float> pixels;
  std::vector<std::int64_t> bright;

  explicit Spots(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < shape.count(); ++i)
      pixels.push_back(static_cast<float>(50 + 2 * std::fmax(-3.0, std::fmin(3.0, normal(random)))));
    for (int i = 0; i < 30; ++i) {
      const auto at = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape.count()));
      pixels[static_cast<std::size_t>(at)] = i % 2 == 0 ? 500 : -400;
      if (i % 2 == 0) bright.push_back(at);
    }
    bright.push_back(0);  // the corner
    pixels[0] = 500;
  }

  bool near_bright(std::int64_t pixel, std::int64_t margin) const {
    for (const std::int64_t at : bright)
      if (pixels[static_cast<std::size_t>(at)] > 400 && std::abs(at % shape.width - pixel % shape.width) <= margin &&
          std::abs(at / shape.width - pixel / shape.width) <= margin)
        return true;
    return false;
  }
};

TYPED_TEST(MaskBright, CountsPixelsInTheNoiseOfTheirPlace) {
  const Shape shape{256, 256};
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<float> pixels;
  for (std::int64_t i = 0; i < shape.count(); ++i)
    pixels.push_back(static_cast<float>((1 + static_cast<double>(i % shape.width) / 64) * normal(random)));
  for (const float pixel : this->mask(shape, pixels, {9, 0})) ASSERT_FALSE(std::isnan(pixel));
  const std::vector<float> scaled = this->mask(shape, pixels, {9, 0});
  for (std::int64_t first = 0; first < shape.width; first += 32) {
    double squares = 0;
    for (std::int64_t i = 0; i < shape.count(); ++i)
      if (i % shape.width / 32 == first / 32) squares += std::pow(scaled[static_cast<std::size_t>(i)], 2);
    EXPECT_NEAR(std::sqrt(squares / (32.0 * 256)), 1, 0.05) << first;
  }
}

TYPED_TEST(MaskBright, MasksBrightPixelsAndTheirNeighboursAlone) {
  for (const unsigned seed : {1U, 2U, 3U})
    for (const std::int64_t margin : {0, 1, 5}) {
      const Spots spots(seed);
      const std::vector<float> masked = this->mask(spots.shape, spots.pixels, {5, margin});
      std::int64_t near = 0;
      for (std::int64_t i = 0; i < spots.shape.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool expected = spots.near_bright(i, margin);
        near += expected ? 1 : 0;
        ASSERT_EQ(std::isnan(masked[at]), expected) << i << " " << margin;
        // The lowest meshes have three rows: they know the level to half of the noise.
        if (!expected) {
          ASSERT_NEAR(masked[at], (spots.pixels[at] - 50) / 2, 0.5 + 0.15 * std::fabs(masked[at]));
        }
      }
      EXPECT_GE(near, 14);
    }
}

}  // namespace
}  // namespace srcextract
