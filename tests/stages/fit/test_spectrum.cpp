#include "stages/fit/spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace srcextract {
namespace {

constexpr double unknown = Spectrum::unknown;

std::vector<FluxAt> fluxes_of(double flux, double index, double curvature, int channels, double error) {
  std::vector<FluxAt> fluxes;
  for (int i = 0; i < channels; ++i) {
    const double frequency = 1e9 + 1e8 * i, ratio = frequency / 1.3e9;
    fluxes.push_back({frequency, flux * std::pow(ratio, index + curvature * std::log(ratio)), error});
  }
  return fluxes;
}

TEST(Spectrum, OfAPowerLawIsThePowerLaw) {
  for (const double index : {-2.5, -0.7, 0.0, 1.3}) {
    const Spectrum found = fit_spectrum(fluxes_of(3, index, 0, 6, 0.01));
    EXPECT_NEAR(found.index, index, 1e-6);
    EXPECT_NEAR(found.flux, 3 * std::pow(found.frequency / 1.3e9, index), 1e-6);
    EXPECT_TRUE(std::isnan(found.curvature));
    EXPECT_GT(found.frequency, 1e9);
    EXPECT_LT(found.frequency, 1.5e9);
  }
}

TEST(Spectrum, OfACurvedLawHasItsCurvature) {
  const Spectrum found = fit_spectrum(fluxes_of(3, -0.7, 1.5, 8, 0.01));
  EXPECT_NEAR(found.curvature, 1.5, 1e-5);
  // d ln S / d ln f of the truth, at the reference.
  EXPECT_NEAR(found.index, -0.7 + 2 * 1.5 * std::log(found.frequency / 1.3e9), 1e-5);
}

TEST(Spectrum, NeedsTwoFluxesWithErrors) {
  EXPECT_TRUE(std::isnan(fit_spectrum({}).index));
  EXPECT_TRUE(std::isnan(fit_spectrum({{1e9, 1, 0.1}}).index));
  EXPECT_TRUE(std::isnan(fit_spectrum({{1e9, 1, 0.1}, {2e9, unknown, unknown}, {0, 1, 0.1}, {3e9, 1, 0}}).index));
  // Two fluxes are met exactly: ln(1/2) / ln 2.
  EXPECT_NEAR(fit_spectrum({{1e9, 1, 0.1}, {2e9, 0.5, 0.1}, {3e9, unknown, 0.1}}).index, -1, 1e-9);
}

TEST(Spectrum, OfFluxesWithoutASumIsNone) {
  EXPECT_TRUE(std::isnan(fit_spectrum({{1e9, -1, 0.1}, {2e9, -1, 0.1}, {3e9, -1.1, 0.1}}).index));
}

/// Error of the index by the textbook: of ln S on ln f, for errors that are small.
TEST(Spectrum, HasTheErrorOfALineInLogarithmsWhereNoiseIsSmall) {
  const std::vector<FluxAt> fluxes = fluxes_of(1, 0, 0, 5, 0.001);
  double mean = 0, squares = 0;
  for (const FluxAt& one : fluxes) mean += std::log(one.frequency) / 5;
  for (const FluxAt& one : fluxes) squares += std::pow(std::log(one.frequency) - mean, 2);
  EXPECT_NEAR(fit_spectrum(fluxes).index_error, 0.001 / std::sqrt(squares), 1e-7);
}

TEST(Spectrum, OfFluxesThatAreWrongTogetherHasTheSameIndex) {
  std::vector<FluxAt> fluxes = fluxes_of(2, -0.7, 0, 6, 0.01);
  const Spectrum alone = fit_spectrum(fluxes);
  for (FluxAt& one : fluxes) one.common = 0.1 * one.flux;
  const Spectrum scaled = fit_spectrum(fluxes);
  EXPECT_NEAR(scaled.index_error, alone.index_error, 1e-9);
  EXPECT_NEAR(scaled.flux_error, std::hypot(alone.flux_error, 0.1 * alone.flux), 1e-6);
  // Fluxes that are wrong by a factor of 1 + e ln f have another index, by e.
  for (FluxAt& one : fluxes) one.common = 1e-3 * one.flux * std::log(one.frequency / alone.frequency);
  EXPECT_NEAR(fit_spectrum(fluxes).index_error, std::hypot(alone.index_error, 1e-3), 1e-6);
}

TEST(Spectrum, OfNoisyFluxesHasNoBiasAndTheErrorItTells) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  constexpr int trials = 4000;
  double sum = 0, squares = 0, curved = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<FluxAt> fluxes = fluxes_of(1, -0.8, 0, 8, 0.25);  // 4 sigma a channel
    for (FluxAt& one : fluxes) one.flux += 0.25 * normal(random);
    const Spectrum found = fit_spectrum(fluxes);
    ASSERT_TRUE(std::isfinite(found.index));
    curved += std::isfinite(found.curvature) ? 1 : 0;
    if (std::isfinite(found.curvature)) continue;
    const double pull = (found.index + 0.8) / found.index_error;
    sum += pull;
    squares += pull * pull;
  }
  EXPECT_NEAR(sum / trials, 0, 0.1);
  EXPECT_NEAR(std::sqrt(squares / trials), 1, 0.08);
  EXPECT_LT(curved / trials, 0.01);  // chi2 falls by 9 in 0.27 % of cases
}

TEST(Polarisation, OfStrongSignalsIsThatOfTheParameters) {
  for (const double angle : {3.0, 60.0, 100.0, 179.0}) {
    const double twice = 2 * angle * std::numbers::pi / 180;
    const Polarisation found =
        polarisation_of({10, 0.1}, {2 * std::cos(twice), 0.001}, {2 * std::sin(twice), 0.001}, {-0.5, 0.01});
    EXPECT_NEAR(found.linear, 2, 1e-5);
    EXPECT_NEAR(found.angle, angle, 1e-9);
    EXPECT_NEAR(found.fraction, 0.2, 1e-5);
    EXPECT_NEAR(found.fraction_error, 0.2 * std::hypot(0.001 / 2, 0.1 / 10), 1e-6);
    EXPECT_NEAR(found.angle_error, 0.001 / 2 / 2 * 180 / std::numbers::pi, 1e-9);
    EXPECT_NEAR(found.circular_fraction, -0.05, 1e-12);
    EXPECT_TRUE(std::isnan(found.linear_limit));
  }
}

TEST(Polarisation, OfNoiseHasALimitAndNoBias) {
  const Polarisation below = polarisation_of({10, 0.1}, {0.3, 1}, {-0.4, 1}, {0, 1});
  EXPECT_EQ(below.linear, 0);
  EXPECT_DOUBLE_EQ(below.linear_limit, 3);
  EXPECT_LE(below.angle_error, 180 / std::sqrt(12.0));
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  double with_bias = 0, sum = 0;
  constexpr int trials = 20000;
  for (int i = 0; i < trials; ++i) {
    const double q = 4 + normal(random), u = normal(random);
    with_bias += std::hypot(q, u) / trials;
    sum += polarisation_of({100, 1}, {q, 1}, {u, 1}, {0, 1}).linear / trials;
  }
  EXPECT_GT(with_bias, 4.1);
  EXPECT_NEAR(sum, 4, 0.03);
}

}  // namespace
}  // namespace srcextract
