#include "stages/fit/fitted_ellipse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace srcextract {
namespace {

/// The full width at half maximum of a Gaussian seen along a direction, squared: 8 ln 2 u' K u.
double width_along(const GaussianShape& of, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180), s = std::sin(degrees * std::numbers::pi / 180);
  return std::sqrt(8 * std::log(2) * std::max(0.0, c * c * of.xx + 2 * c * s * of.xy + s * s * of.yy));
}

/// Widest and narrowest direction, by trying all.
struct Tried {
  double major = 0, minor = 1e300, angle = 0;
};
Tried try_all(const GaussianShape& of, double step = 0.05) {
  Tried tried;
  for (double angle = 0; angle < 180; angle += step) {
    const double width = width_along(of, angle);
    if (width > tried.major) tried.major = width, tried.angle = angle;
    tried.minor = std::min(tried.minor, width);
  }
  return tried;
}

/// A Gaussian of known axes: the sum of two orthogonal streaks.
GaussianShape known(double major, double minor, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180), s = std::sin(degrees * std::numbers::pi / 180);
  const double a = major * major / (8 * std::log(2)), b = minor * minor / (8 * std::log(2));
  return {a * c * c + b * s * s, (a - b) * c * s, a * s * s + b * c * c};
}

TEST(FittedEllipse, HasTheWidestAndTheNarrowestDirection) {
  for (const double angle : {0.0, 12.0, 60.0, 90.0, 135.0, 179.0}) {
    const MeasuredSpread spread{known(6.5, 4, angle)};
    const FittedEllipse found = ellipse_of(spread);
    const Tried tried = try_all(spread.of);
    EXPECT_NEAR(found.major, tried.major, 1e-5);
    EXPECT_NEAR(found.minor, tried.minor, 1e-5);
    EXPECT_NEAR(std::remainder(found.angle - tried.angle, 180), 0, 0.06) << angle;
    EXPECT_GE(found.angle, 0);
    EXPECT_LT(found.angle, 180);
  }
}

TEST(FittedEllipse, OfASumOfShapesIsTheOneWithoutTheBeam) {
  const GaussianShape beam = known(5.2, 3.8, 120), source = known(7, 2, 35);
  const MeasuredSpread seen{{beam.xx + source.xx, beam.xy + source.xy, beam.yy + source.yy}};
  const FittedEllipse alone = ellipse_of(without_beam(seen, beam));
  EXPECT_NEAR(alone.major, 7, 1e-9);
  EXPECT_NEAR(alone.minor, 2, 1e-9);
  EXPECT_NEAR(alone.angle, 35, 1e-9);
}

TEST(FittedEllipse, SmallerThanTheBeamHasNoSizeButALimit) {
  MeasuredSpread seen{known(5, 3.7, 120)};
  for (std::size_t i = 0; i < 3; ++i) seen.covariance[i][i] = 1;
  const FittedEllipse alone = ellipse_of(without_beam(seen, known(5.2, 3.8, 120)));
  EXPECT_EQ(alone.major, 0);
  EXPECT_EQ(alone.minor, 0);
  EXPECT_EQ(alone.angle, 0);
  EXPECT_FALSE(alone.extended);
  EXPECT_GT(alone.major_limit, 2);
  EXPECT_LT(alone.major_limit, 8);
}

TEST(FittedEllipse, OfAShapeThatWasNotFittedHasNoLimit) {
  // The shape of the beam, to within rounding.
  for (const double rounded : {-1e-15, 0.0, 1e-15}) {
    const GaussianShape beam = known(5.2, 3.8, 120);
    const FittedEllipse alone = ellipse_of(without_beam({{beam.xx + rounded, beam.xy, beam.yy}}, beam));
    EXPECT_FALSE(alone.extended);
    EXPECT_TRUE(std::isnan(alone.major_limit));
  }
}

TEST(FittedEllipse, ErrorsAreTheScatterOfDrawnShapes) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const double angle : {20.0, 100.0}) {
    // Shapes xx = a u, xy = b u + c v, yy = d v + e w of independent u, v, w: any covariance.
    const double a = 0.12, b = 0.05, c = 0.07, d = -0.03, e = 0.1;
    MeasuredSpread spread{known(8, 5, angle)};
    spread.covariance = {{{a * a, a * b, 0}, {a * b, b * b + c * c, c * d}, {0, c * d, d * d + e * e}}};
    const FittedEllipse found = ellipse_of(spread);
    constexpr int draws = 4000;
    double major = 0, minor = 0, turn = 0;
    for (int i = 0; i < draws; ++i) {
      const double u = normal(random), v = normal(random), w = normal(random);
      const Tried tried =
          try_all({spread.of.xx + a * u, spread.of.xy + b * u + c * v, spread.of.yy + d * v + e * w}, 0.5);
      major += std::pow(tried.major - found.major, 2) / draws;
      minor += std::pow(tried.minor - found.minor, 2) / draws;
      turn += std::pow(std::remainder(tried.angle - found.angle, 180), 2) / draws;
    }
    EXPECT_NEAR(std::sqrt(major) / found.major_error, 1, 0.06);
    EXPECT_NEAR(std::sqrt(minor) / found.minor_error, 1, 0.06);
    EXPECT_NEAR(std::sqrt(turn) / found.angle_error, 1, 0.06);
  }
}

TEST(FittedEllipse, OfARoundShapeHasAnUnknownAngle) {
  MeasuredSpread spread{{2, 0, 2}};
  for (std::size_t i = 0; i < 3; ++i) spread.covariance[i][i] = 0.01;
  EXPECT_EQ(ellipse_of(spread).angle_error, 90);
}

TEST(FittedEllipse, TurnsIntoAnotherPlaneWithItsErrors) {
  // Pixels of 2 x 3 units, turned by 25 degrees: a shape drawn at random scatters there as the turned covariance says.
  const double c = std::cos(0.4363323), s = std::sin(0.4363323);
  const std::array<double, 2> first = {2 * c, -3 * s}, second = {2 * s, 3 * c};
  MeasuredSpread spread{known(8, 5, 20)};
  spread.covariance = {{{0.04, 0.01, 0}, {0.01, 0.02, -0.005}, {0, -0.005, 0.03}}};
  const MeasuredSpread there = turned(spread, first, second);
  for (const double angle : {0.0, 30.0, 77.0}) {
    // A direction u there is J'u here.
    const double x = std::cos(angle), y = std::sin(angle);
    const double px = first[0] * x + second[0] * y, py = first[1] * x + second[1] * y;
    const double here = px * px * spread.of.xx + 2 * px * py * spread.of.xy + py * py * spread.of.yy;
    EXPECT_NEAR(x * x * there.of.xx + 2 * x * y * there.of.xy + y * y * there.of.yy, here, 1e-9);
    const auto variance = [](const MeasuredSpread& of, double u, double v) {
      const double by[3] = {u * u, 2 * u * v, v * v};
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) sum += by[i] * of.covariance[i][k] * by[k];
      return sum;
    };
    EXPECT_NEAR(variance(there, x, y), variance(spread, px, py), 1e-9);
  }
}

}  // namespace
}  // namespace srcextract
