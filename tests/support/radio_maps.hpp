#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "stages/detect/label.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/fit/fit_islands.hpp"

namespace srcextract {

/// An elliptical Gaussian by its axes and angle, as a catalogue has it: full widths in pixels, radians from x to y.
struct MapGaussian {
  double peak, x, y, major, minor, angle;
};

inline double value_at(const MapGaussian& g, double x, double y) {
  const double u = (x - g.x) * std::cos(g.angle) + (y - g.y) * std::sin(g.angle);
  const double v = (y - g.y) * std::cos(g.angle) - (x - g.x) * std::sin(g.angle);
  return g.peak * std::exp(-4 * std::log(2.0) * (u * u / (g.major * g.major) + v * v / (g.minor * g.minor)));
}

/// A square map of zeros.
inline Image<float, Cpu> empty_map(std::int64_t side) {
  Image<float, Cpu> image(Shape{side, side}, {});
  std::fill(image.pixels.begin(), image.pixels.end(), 0.0F);
  return image;
}

/// Adds Gaussians to an image.
inline void add_gaussians(const std::vector<MapGaussian>& gaussians, Image<float, Cpu>& image) {
  for (const MapGaussian& g : gaussians) {
    const auto reach = static_cast<std::int64_t>(4 * g.major);
    for (auto y = std::max<std::int64_t>(0, static_cast<std::int64_t>(g.y) - reach);
         y < std::min(image.shape.height, static_cast<std::int64_t>(g.y) + reach); ++y)
      for (auto x = std::max<std::int64_t>(0, static_cast<std::int64_t>(g.x) - reach);
           x < std::min(image.shape.width, static_cast<std::int64_t>(g.x) + reach); ++x)
        image.pixels[y * image.shape.width + x] +=
            static_cast<float>(value_at(g, static_cast<double>(x), static_cast<double>(y)));
  }
}

/// Noise of unit variance: white noise convolved with the beam, whose autocorrelation has twice the beam's area; or
/// with a Gaussian of half the beam's area, so that the autocorrelation is the beam.
inline Image<float, Cpu> correlated_noise(const Shape& shape, const PixelBeam& beam, bool like_beam, unsigned seed) {
  const double shrink = like_beam ? std::sqrt(0.5) : 1;
  const MapGaussian kernel{1, 0, 0, shrink * beam.major, shrink * beam.minor, beam.angle};
  const auto reach = static_cast<std::int64_t>(std::ceil(1.8 * beam.major));
  std::vector<float> weights;
  double squares = 0;
  for (std::int64_t y = -reach; y <= reach; ++y)
    for (std::int64_t x = -reach; x <= reach; ++x) {
      const double weight = value_at(kernel, static_cast<double>(x), static_cast<double>(y));
      weights.push_back(static_cast<float>(weight));
      squares += weight * weight;
    }
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  const std::int64_t wide = shape.width + 2 * reach;
  std::vector<float> white(static_cast<std::size_t>(wide * (shape.height + 2 * reach)));
  for (float& pixel : white) pixel = normal(random) / static_cast<float>(std::sqrt(squares));
  Image<float, Cpu> image(shape, {});
  std::fill(image.pixels.begin(), image.pixels.end(), 0.0F);
  for (std::int64_t y = 0; y < shape.height; ++y) {
    float* const row = image.pixels.data() + y * shape.width;
    const float* weight = weights.data();
    for (std::int64_t dy = 0; dy <= 2 * reach; ++dy)
      for (std::int64_t dx = 0; dx <= 2 * reach; ++dx, ++weight) {
        const float* const from = white.data() + (y + dy) * wide + dx;
        for (std::int64_t x = 0; x < shape.width; ++x) row[x] += *weight * from[x];
      }
  }
  return image;
}

/// Islands of a map whose noise is 1 everywhere.
struct MapIslands {
  Image<float, Cpu> image;
  Runs<Cpu> runs;
  Components<Cpu> components;
  Settings settings;

  FitMap map(double sigma = 1) const { return {image, runs, components.label, sigma}; }
  FittedIslands fitted(const Cpu& where = {}) const {
    return fit_islands(map(), components.counts->kept, settings, {}, where);
  }
};

/// Finds islands above 3 that have a pixel above 5.
inline MapIslands islands_of(Image<float, Cpu> image, const PixelBeam& beam) {
  MapIslands found;
  found.image = std::move(image);
  found.settings.detection.threshold = 3;
  found.settings.detection.seed = 5;
  found.settings.detection.min_area = 3;
  found.settings.fit.model = FitModel::gaussians;
  found.settings.resources.beam = beam;
  const auto above = [&](double level) {
    Levels levels;
    levels.detection = level;
    return find_runs(found.image, Value<Levels, Cpu>(levels), Cpu{});
  };
  found.runs = above(3);
  const Runs<Cpu> seeds = above(5);
  found.components = label_components(found.runs, found.settings.detection, {}, &seeds);
  return found;
}

}  // namespace srcextract
