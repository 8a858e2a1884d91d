#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/core/masked_pixel.hpp"

namespace srcextract::testing {

/// Two frames of the same stars on a sky with noise. The stars of the reference are round Gaussians; those of the new
/// frame are what a Gaussian kernel makes of them, whose width and sum change over the field. All of it is known
/// exactly.
struct FitScene {
  Shape shape{320, 288};
  int stars = 70;
  double reference_sigma = 1.3;
  double noise = 3;
  unsigned seed = 5;
  double shift = 0;  ///< of the new frame along x, in pixels

  std::vector<float> reference = {}, fresh = {};

  static constexpr double reference_sky = 100, fresh_sky = 160;

  /// Variance of the kernel, and the ratio of the fluxes, at a column.
  double kernel_variance(double x) const { return 1.2 + 0.6 * x / static_cast<double>(shape.width); }
  double flux_ratio(double x) const { return 0.8 + 0.05 * x / static_cast<double>(shape.width); }
  double fresh_level(double y) const { return fresh_sky + 6 * y / static_cast<double>(shape.height); }
};

/// A Gaussian integrated over nothing but its sample at the middle of pixels.
inline void add_gaussian(std::vector<float>& pixels, const Shape& shape, double x, double y, double flux,
                         double variance) {
  const auto reach = static_cast<std::int64_t>(7 * std::sqrt(variance)) + 1;
  const double peak = flux / (2 * 3.14159265358979 * variance);
  for (auto j = static_cast<std::int64_t>(y) - reach; j <= static_cast<std::int64_t>(y) + reach; ++j) {
    for (auto i = static_cast<std::int64_t>(x) - reach; i <= static_cast<std::int64_t>(x) + reach; ++i) {
      if (i < 0 || j < 0 || i >= shape.width || j >= shape.height) continue;
      const double dx = static_cast<double>(i) - x, dy = static_cast<double>(j) - y;
      pixels[static_cast<std::size_t>(j * shape.width + i)] +=
          static_cast<float>(peak * std::exp(-(dx * dx + dy * dy) / (2 * variance)));
    }
  }
}

/// Draws the frames of a scene.
inline FitScene expose(FitScene scene) {
  std::mt19937 random(scene.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto pixels = static_cast<std::size_t>(scene.shape.count());
  scene.reference.assign(pixels, 0);
  scene.fresh.assign(pixels, 0);
  for (int star = 0; star < scene.stars; ++star) {
    const double x = uniform(random) * static_cast<double>(scene.shape.width - 1);
    const double y = uniform(random) * static_cast<double>(scene.shape.height - 1);
    const double flux = 3000 * std::pow(uniform(random) + 0.01, -0.8),
                 own = scene.reference_sigma * scene.reference_sigma;
    add_gaussian(scene.reference, scene.shape, x, y, flux, own);
    add_gaussian(scene.fresh, scene.shape, x + scene.shift, y, flux * scene.flux_ratio(x),
                 own + scene.kernel_variance(x));
  }
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / scene.shape.width;
    const auto y = static_cast<double>(row);
    scene.reference[i] += static_cast<float>(FitScene::reference_sky + scene.noise * normal(random));
    scene.fresh[i] += static_cast<float>(scene.fresh_level(y) + scene.noise * normal(random));
  }
  return scene;
}

}  // namespace srcextract::testing
