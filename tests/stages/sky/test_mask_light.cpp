#include "stages/sky/mask_light.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

constexpr Shape lit_shape{517, 403};

std::size_t pixel_at(std::int64_t x, std::int64_t y) {
  return static_cast<std::size_t>(y * lit_shape.width + x);
}

/// Noise of 10 about 1000. Where `smoothed`, each pixel is the mean of 3 x 3, so that neighbours share noise.
std::vector<float> dark_sky(unsigned seed, bool smoothed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> white(static_cast<std::size_t>((lit_shape.width + 2) * (lit_shape.height + 2)));
  for (float& pixel : white) pixel = normal(random);
  std::vector<float> out;
  for (std::int64_t y = 0; y < lit_shape.height; ++y)
    for (std::int64_t x = 0; x < lit_shape.width; ++x) {
      float sum = 0;
      for (std::int64_t v = 0; v < 3; ++v)
        for (std::int64_t u = 0; u < 3; ++u) {
          const float pixel = white[static_cast<std::size_t>((y + v) * (lit_shape.width + 2) + x + u)];
          if (smoothed || (u == 1 && v == 1)) sum += pixel;
        }
      out.push_back(1000 + 10 * (smoothed ? sum / 3 : sum));
    }
  return out;
}

template <class Where>
class MaskLight : public StageTest<Where> {
 protected:
  std::vector<float> mask(const std::vector<float>& pixels) {
    Image<float, Where> image;
    image.shape = lit_shape;
    image.pixels = this->backend().put(pixels);
    const MeshSky<Where> sky = estimate_mesh(image, BackgroundConfig{}, this->where());
    return this->backend().get(mask_light(image, sky.mesh, this->where()).pixels);
  }
};
TYPED_TEST_SUITE(MaskLight, Backends);

double masked_share(const std::vector<float>& pixels) {
  double masked = 0;
  for (const float pixel : pixels) masked += std::isnan(pixel) ? 1 : 0;
  return masked / static_cast<double>(pixels.size());
}

// 0.6 % of the bins of noise alone are 2.5 sigma above it, and each masks eight others.
TYPED_TEST(MaskLight, NoiseAloneIsNotLightIfPixelsShareItOrNot) {
  for (const bool smoothed : {false, true})
    for (const unsigned seed : {1U, 2U, 3U}) {
      const double share = masked_share(this->mask(dark_sky(seed, smoothed)));
      EXPECT_LT(share, 0.12) << smoothed << " " << seed;
      EXPECT_GT(share, 0) << smoothed << " " << seed;
    }
}

TYPED_TEST(MaskLight, LightOfHalfTheNoiseIsMaskedWithItsSurroundings) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::vector<float> pixels = dark_sky(seed, false);
    const auto light = [](std::int64_t x, std::int64_t y) {
      return 6 *
             std::exp(-(std::pow(static_cast<double>(x - 300), 2) + std::pow(static_cast<double>(y - 150), 2)) / 800);
    };
    for (std::int64_t y = 0; y < lit_shape.height; ++y)
      for (std::int64_t x = 0; x < lit_shape.width; ++x) pixels[pixel_at(x, y)] += static_cast<float>(light(x, y));
    const std::vector<float> masked = this->mask(pixels);
    int within = 0, caught = 0;
    for (std::int64_t y = 0; y < lit_shape.height; ++y)
      for (std::int64_t x = 0; x < lit_shape.width; ++x)
        if (light(x, y) > 4) {
          ++within;
          caught += std::isnan(masked[pixel_at(x, y)]) ? 1 : 0;
        }
    EXPECT_GT(caught, 0.95 * within) << seed;
    EXPECT_LT(masked_share(masked), 0.2) << seed;
  }
}

TYPED_TEST(MaskLight, OneBrightPixelMasksItsBinAndTheEightAround) {
  std::vector<float> pixels = dark_sky(4, false);
  pixels[pixel_at(100, 200)] = 3000;                                   // bin (12, 25)
  pixels[pixel_at(lit_shape.width - 1, lit_shape.height - 1)] = 3000;  // a bin of 5 x 3 pixels in the corner
  const std::vector<float> masked = this->mask(pixels);
  for (std::int64_t y = 24 * 8; y < 27 * 8; ++y)
    for (std::int64_t x = 11 * 8; x < 14 * 8; ++x) ASSERT_TRUE(std::isnan(masked[pixel_at(x, y)])) << x << " " << y;
  EXPECT_TRUE(std::isnan(masked[pixel_at(63 * 8, 49 * 8)]));
}

TYPED_TEST(MaskLight, UnmaskedPixelsAreInUnitsOfTheNoiseAndMaskedOnesStayMasked) {
  std::vector<float> pixels = dark_sky(5, false);
  for (std::int64_t x = 0; x < lit_shape.width; ++x) pixels[pixel_at(x, 7)] = std::nanf("");
  const std::vector<float> masked = this->mask(pixels);
  double squares = 0, count = 0;
  for (std::int64_t i = 0; i < lit_shape.count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (i / lit_shape.width == 7) {
      ASSERT_TRUE(std::isnan(masked[k]));
    } else if (!std::isnan(masked[k])) {
      ASSERT_NEAR(masked[k], (pixels[k] - 1000) / 10, 0.4 + 0.1 * std::fabs(masked[k]));
      squares += static_cast<double>(masked[k]) * static_cast<double>(masked[k]);
      ++count;
    }
  }
  EXPECT_NEAR(std::sqrt(squares / count), 1, 0.02);
}

}  // namespace
}  // namespace srcextract
