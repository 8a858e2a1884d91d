#include "stages/fit/model_rows.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/radio_maps.hpp"

namespace srcextract {
namespace {

/// A row of a Gaussian by its axes.
ComponentRow row_of(const MapGaussian& g, double rms) {
  const double c = std::cos(g.angle), s = std::sin(g.angle), by = 8 * std::log(2.0);
  const double major = g.major * g.major / by, minor = g.minor * g.minor / by;
  ComponentRow row;
  row.peak = g.peak;
  row.x = g.x;
  row.y = g.y;
  row.shape = {major * c * c + minor * s * s, (major - minor) * c * s, major * s * s + minor * c * c};
  row.of_island.rms = rms;
  return row;
}

TEST(ModelRows, AreTheSumOfGaussiansToASmallPartOfTheNoise) {
  const Shape shape{143, 97};
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  std::vector<MapGaussian> gaussians = {{900, 0.2, 0.1, 7, 4, 0.3}, {30, 142.4, 96.9, 30, 9, 2.2}};
  for (int i = 0; i < 40; ++i)
    gaussians.push_back({1 + 2000 * uniform(random) * uniform(random), 143 * uniform(random), 97 * uniform(random),
                         5 + 20 * uniform(random), 2 + 3 * uniform(random), 3 * uniform(random)});
  const double rms = 0.5;
  std::vector<ComponentRow> rows;
  for (const MapGaussian& g : gaussians) rows.push_back(row_of(g, rms));
  ModelRows model(rows, shape);
  std::vector<float> row(static_cast<std::size_t>(shape.width));
  double most = 0;
  for (std::int64_t y = 0; y < shape.height; ++y) {
    model.fill(y, row.data());
    for (std::int64_t x = 0; x < shape.width; ++x) {
      double sum = 0;
      for (const MapGaussian& g : gaussians) sum += value_at(g, static_cast<double>(x), static_cast<double>(y));
      most = std::max(most, sum);
      // The 42 Gaussians are cut at 1e-4 of the noise; float has 24 bits.
      ASSERT_NEAR(row[static_cast<std::size_t>(x)], sum, 42e-4 * rms + sum * 1e-7) << x << " " << y;
    }
  }
  EXPECT_GT(most, 500);
}

}  // namespace
}  // namespace srcextract
