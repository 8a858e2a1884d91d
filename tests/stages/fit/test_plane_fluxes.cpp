#include "stages/fit/plane_fluxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/radio_maps.hpp"

namespace srcextract {
namespace {

const PixelBeam map_beam{5.2, 3.8, 2.0}, plane_beam{6.4, 4.9, 2.0};

/// A point of this flux, seen through a beam.
MapGaussian point(double flux, double x, double y, const PixelBeam& through) {
  return {flux, x, y, through.major, through.minor, through.angle};
}

struct Point {
  double flux, flux_there, x, y;
};

Image<float, Cpu> map_of(const std::vector<Point>& points, std::int64_t side, const PixelBeam& through, bool there) {
  Image<float, Cpu> image = empty_map(side);
  for (const Point& one : points)
    add_gaussians({point(there ? one.flux_there : one.flux, one.x, one.y, through)}, image);
  return image;
}

FluxesOfPlane measure(const MapIslands& islands, const FittedIslands& fitted, const Image<float, Cpu>& plane,
                      const PixelBeam& through, double noise = 1, double area = 2) {
  FitConfig config = islands.settings.fit;
  config.noise_area = area;
  return measure_plane({plane, islands.runs, islands.components.label, noise}, fitted, through, {}, config, false,
                       Cpu{2});
}

const PlaneFlux& flux_at(const FittedIslands& fitted, const PlaneFluxes& fluxes, double x, double y) {
  std::size_t nearest = 0;
  const auto distance = [&](std::size_t i) { return std::hypot(fitted.gaussians[i].x - x, fitted.gaussians[i].y - y); };
  for (std::size_t i = 1; i < fluxes.size(); ++i)
    if (distance(i) < distance(nearest)) nearest = i;
  EXPECT_LT(distance(nearest), 1);
  return fluxes[nearest];
}

TEST(PlaneFluxes, AreThoseOfPointsInAnotherBeamWithoutNoise) {
  // Two that share an island, one alone, and one that is negative in the plane.
  const std::vector<Point> points = {{60, 20, 40, 40}, {40, 50, 48.5, 41}, {80, 7, 110, 50.3}, {30, -12, 60.2, 110}};
  const MapIslands islands = islands_of(map_of(points, 151, map_beam, false), map_beam);
  const FittedIslands fitted = islands.fitted();
  ASSERT_EQ(fitted.gaussians.size(), points.size());
  const FluxesOfPlane found = measure(islands, fitted, map_of(points, 151, plane_beam, true), plane_beam);
  for (const Point& one : points)
    EXPECT_NEAR(flux_at(fitted, found.gaussians, one.x, one.y).total, one.flux_there, 2e-3 * std::fabs(one.flux_there));
  EXPECT_EQ(found.noise_area, 2);
}

TEST(PlaneFluxes, OfSourcesAreSumsOfTheirGaussians) {
  const std::vector<Point> points = {{60, 20, 40, 40}, {50, 50, 45.8, 41}};
  const MapIslands islands = islands_of(map_of(points, 81, map_beam, false), map_beam);
  FittedIslands fitted = islands.fitted();
  ASSERT_EQ(fitted.gaussians.size(), 2U);
  fitted.sources.resize(1);
  for (ComponentRow& row : fitted.gaussians) row.source = fitted.sources[0].source;
  const FluxesOfPlane found = measure(islands, fitted, map_of(points, 81, map_beam, true), map_beam);
  EXPECT_NEAR(found.sources[0].total, 70, 0.1);
  EXPECT_DOUBLE_EQ(found.sources[0].total, found.gaussians[0].total + found.gaussians[1].total);
  // Errors are the scatter in planes of noise, also of the sum of Gaussians that take light from one another.
  constexpr int planes = 400;
  double of_sum = 0, of_one = 0;
  for (unsigned seed = 1; seed <= planes; ++seed) {
    const FluxesOfPlane noise = measure(islands, fitted, correlated_noise({81, 81}, map_beam, false, seed), map_beam);
    of_sum += noise.sources[0].total * noise.sources[0].total / planes;
    of_one += noise.gaussians[0].total * noise.gaussians[0].total / planes;
  }
  EXPECT_NEAR(std::sqrt(of_sum) / found.sources[0].error_of_noise, 1, 0.1);
  EXPECT_NEAR(std::sqrt(of_one) / found.gaussians[0].error_of_noise, 1, 0.1);
}

TEST(PlaneFluxes, OfAMaskedIslandAreNotKnown) {
  const std::vector<Point> points = {{60, 20, 40, 40}, {60, 20, 110, 50}};
  const MapIslands islands = islands_of(map_of(points, 151, map_beam, false), map_beam);
  const FittedIslands fitted = islands.fitted();
  Image<float, Cpu> plane = map_of(points, 151, map_beam, true);
  for (std::int64_t y = 0; y < 151; ++y)
    std::fill_n(plane.pixels.begin() + y * 151, 75, std::numeric_limits<float>::quiet_NaN());
  const FluxesOfPlane found = measure(islands, fitted, plane, map_beam);
  EXPECT_TRUE(std::isnan(flux_at(fitted, found.gaussians, 40, 40).total));
  EXPECT_NEAR(flux_at(fitted, found.gaussians, 110, 50).total, 20, 0.05);
}

TEST(PlaneFluxes, OfAnIslandWithoutGaussiansAreItsSum) {
  const std::vector<Point> points = {{60, 20, 40, 40}};
  MapIslands islands = islands_of(map_of(points, 81, map_beam, false), map_beam);
  islands.settings.fit.large = 6;
  const FittedIslands fitted = islands.fitted();
  ASSERT_TRUE(fitted.gaussians.empty());
  ASSERT_EQ(fitted.sources.size(), 1U);
  const Image<float, Cpu> plane = map_of(points, 81, map_beam, true);
  double sum = 0;
  for (const srcextract::Run& run : islands.runs.runs)
    for (std::int32_t x = run.begin; x < run.end; ++x) sum += plane.pixels[run.y * 81 + x] / map_beam.area();
  EXPECT_NEAR(measure(islands, fitted, plane, map_beam).sources[0].total, sum, 1e-9);
}

TEST(PlaneFluxes, OfNoPlacesAreNone) {
  const MapIslands islands = islands_of(empty_map(40), map_beam);
  EXPECT_TRUE(measure(islands, islands.fitted(), empty_map(40), map_beam).gaussians.empty());
}

/// The spread of (found - true) / error is 1: where the place is well known, where it is as uncertain as the flux, and
/// in both kinds of noise.
TEST(PlaneFluxes, HaveTheErrorsThatTheyTell) {
  for (const bool like_beam : {false, true})
    for (const double flux : {15.0, 200.0}) {
      std::vector<Point> points;
      for (int i = 0; i < 100; ++i)
        points.push_back({flux, 8, 30 + 40.0 * (i % 10) + 0.37 * (i % 7), 30 + 40.0 * (i / 10) + 0.21 * (i % 5)});
      double squares = 0, sum = 0, noise_squares = 0;
      int count = 0;
      for (unsigned seed = 1; seed <= 3; ++seed) {
        Image<float, Cpu> map = correlated_noise({430, 430}, map_beam, like_beam, seed);
        Image<float, Cpu> plane = correlated_noise({430, 430}, plane_beam, like_beam, 100 + seed);
        for (const Point& one : points) {
          add_gaussians({point(one.flux, one.x, one.y, map_beam)}, map);
          add_gaussians({point(one.flux_there, one.x, one.y, plane_beam)}, plane);
        }
        MapIslands islands = islands_of(std::move(map), map_beam);
        islands.settings.fit.noise_area = like_beam ? 1 : 2;
        const FittedIslands fitted = islands.fitted();
        const FluxesOfPlane found = measure(islands, fitted, plane, plane_beam, 1, like_beam ? 1 : 2);
        for (std::size_t i = 0; i < fitted.gaussians.size(); ++i) {
          if (fitted.gaussians[i].flags != 0 || fitted.gaussians[i].peak < 0.6 * flux) continue;
          const double pull = (found.gaussians[i].total - 8) / found.gaussians[i].error;
          squares += pull * pull;
          sum += pull;
          noise_squares += std::pow((found.gaussians[i].total - 8) / found.gaussians[i].error_of_noise, 2);
          ++count;
        }
      }
      ASSERT_GT(count, 200);
      EXPECT_NEAR(std::sqrt(squares / count), 1, 0.12) << flux << " " << like_beam;
      EXPECT_NEAR(sum / count, 0, 0.2) << flux << " " << like_beam;
      EXPECT_GE(noise_squares, squares);
    }
}

}  // namespace
}  // namespace srcextract
