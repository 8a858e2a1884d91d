// Fits of the PSF of a file: flux, place and errors of Moffat and Gaussian stars are known exactly.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/stages/photometry/given_sources.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/psf_tables.hpp"

namespace srcextract::psf_tests {
namespace {

using testing::gaussian;
using testing::Given;
using testing::moffat;
using testing::nan;
using testing::psf_table;
using testing::PsfPlane;
using testing::side;

constexpr double pi = 3.14159265358979323846, flux = 5000;

Settings with_psf(int mask, double step, double fwhm, const std::vector<PsfPlane>& planes) {
  Settings config;
  config.output.columns = {"FLUX_PSF", "SPREAD_MODEL"};
  testing::set_psf(psf_table(mask, step, fwhm, planes), config);
  return config;
}

std::vector<float> star_at(double x, double y, const PsfPlane& shape, double of = flux) {
  std::vector<float> pixels;
  for (std::int64_t row = 0; row < side; ++row)
    for (std::int64_t column = 0; column < side; ++column)
      pixels.push_back(static_cast<float>(of * shape(static_cast<double>(column) - x, static_cast<double>(row) - y)));
  return pixels;
}

/// A source of 5 pixels about the place, less at the edge.
Given given_star(double x, double y) {
  const auto column = static_cast<std::int32_t>(std::lround(x)), row = static_cast<std::int32_t>(std::lround(y));
  return {{row, column - 2, std::min(column + 3, static_cast<std::int32_t>(side))}, x + 0.3, y - 0.2, 1, 1, 0};
}

template <class Where>
class PsfFits : public testing::StageTest<Where> {
 protected:
  struct Result {
    StarLight star;
    StarSpread spread;
  };
  Result fit(const std::vector<float>& pixels, double x, double y, const Settings& config, double sigma = 1) {
    const Photometry<Where> measured =
        testing::photometry_of(this->backend(), pixels, {given_star(x, y)}, config, {}, {}, sigma);
    return {this->backend().get(measured.template of<StarFamily>().rows, 1).front(),
            this->backend().get(measured.template of<SpreadFamily>().rows, 1).front()};
  }
};
TYPED_TEST_SUITE(PsfFits, testing::Backends);

TYPED_TEST(PsfFits, FindFluxAndPlaceBetweenPixels) {
  for (const double step : {0.5, 1.0}) {
    const PsfPlane shape = moffat(step == 1 ? 3.9 : 2.6, 1.3, 0.6);
    const Settings config =
        with_psf(step == 1 ? 41 : 81, step, 16 / step, {shape});  // a large box: its ring pulls at the place
    for (const double dx : {-0.49, -0.2, 0.0, 0.31}) {
      for (const double dy : {-0.4, 0.0, 0.45}) {
        const double x = 50 + dx, y = 47 + dy;
        const StarLight star = this->fit(star_at(x, y, shape), x, y, config).star;
        EXPECT_NEAR(star.flux / flux, 1, 2e-3) << step << " " << dx << " " << dy;
        EXPECT_NEAR(star.x, x, 0.01);  // a last step of 0.001 pixels may leave some more
        EXPECT_NEAR(star.y, y, 0.01);
        EXPECT_LT(star.misfit / star.good, 0.05);  // the peak has 200 counts
      }
    }
  }
}

/// The PSF is a Gaussian that becomes wider to the right, with the planes of its first derivative.
TYPED_TEST(PsfFits, TakeThePsfAtThePlaceOfTheStar) {
  constexpr double sigma = 2, wider = 0.1;
  const auto slope = [](double x, double y) {
    const double r2 = (x * x + y * y) / (sigma * sigma);
    return wider * (r2 - 2) * gaussian(sigma)(x, y);
  };
  const Settings config = with_psf(41, 1, 5, {gaussian(sigma), slope, [](double, double) { return 0; }});
  const Settings constant = with_psf(41, 1, 5, {gaussian(sigma)});
  for (const double x : {20.2, 49.0, 79.6}) {
    const double width = sigma * (1 + wider * (x + 1 - 50) / 40);
    const std::vector<float> pixels = star_at(x, 60.3, gaussian(width));
    EXPECT_NEAR(this->fit(pixels, x, 60.3, config).star.flux / flux, 1, 0.01) << x;
    if (std::abs(x - 49) > 1) {
      EXPECT_GT(std::abs(this->fit(pixels, x, 60.3, constant).star.flux / flux - 1), 0.03) << x;
    }
  }
}

/// With equal weights the variance of the flux is that of 4 pi sigma^2 pixels (King 1983, PASP 95, 163).
TYPED_TEST(PsfFits, HaveTheNoiseOfTheEffectiveArea) {
  const PsfPlane shape = gaussian(1.7);
  const StarLight star = this->fit(star_at(50.3, 47.1, shape), 50.3, 47.1, with_psf(41, 1, 14, {shape})).star;
  EXPECT_NEAR(star.pixels, 4 * pi * 1.7 * 1.7, 0.1);
}

/// Where the photons of the star are all the noise, the variance of its flux is the flux over the gain.
TYPED_TEST(PsfFits, HaveThePhotonNoiseOfABrightStar) {
  const PsfPlane shape = gaussian(1.7);
  Settings config = with_psf(41, 1, 14, {shape});
  config.measurement.gain = 2;
  constexpr double bright = 3e6, sigma = 5;
  for (const PsfWeights weights : {PsfWeights::model, PsfWeights::data}) {
    config.psf.weights = weights;
    const StarLight star = this->fit(star_at(50.3, 47.1, shape, bright), 50.3, 47.1, config, sigma).star;
    EXPECT_NEAR(star.flux / bright, 1, 1e-3);
    EXPECT_NEAR(star.pixels * sigma * sigma / (bright / 2), 1, 0.02);
  }
  config.psf.weights = PsfWeights::sky;
  const StarLight star = this->fit(star_at(50.3, 47.1, shape, bright), 50.3, 47.1, config, sigma).star;
  EXPECT_NEAR(star.pixels, 4 * pi * 1.7 * 1.7, 0.1);
}

TYPED_TEST(PsfFits, LeaveMaskedAndSaturatedPixelsOut) {
  const PsfPlane shape = gaussian(1.7);
  Settings config = with_psf(41, 1, 4, {shape});
  std::vector<float> pixels = star_at(50.3, 47.2, shape);
  pixels[47 * side + 52] = pixels[45 * side + 50] = nan;
  pixels[48 * side + 49] = 9e5F;
  config.resources.saturation = 8e5;
  const StarLight star = this->fit(pixels, 50.3, 47.2, config).star;
  EXPECT_NEAR(star.flux / flux, 1, 2e-3);
  EXPECT_NEAR(star.x, 50.3, 5e-3);
  pixels[47 * side + 50] = 9e5F;  // where the star is
  const StarLight of_wings = this->fit(pixels, 50.3, 47.2, config).star;
  EXPECT_NEAR(of_wings.flux / flux, 1, 2e-3);
  EXPECT_NEAR(of_wings.x, 50.3, 5e-3);
  config.psf.weights = PsfWeights::data;  // SExtractor's, which ends on a good pixel or not at all
  const auto [saturated, spread] = this->fit(pixels, 50.3, 47.2, config);
  EXPECT_EQ(saturated.flux, 0);
  EXPECT_TRUE(std::isnan(saturated.pixels));
  EXPECT_EQ(spread.spread, 1);
}

TYPED_TEST(PsfFits, FailWithoutLight) {
  const Settings config = with_psf(25, 1, 4, {gaussian(1.7)});
  EXPECT_EQ(this->fit(std::vector<float>(side * side, 0), 50, 47, config).star.flux, 0);
  EXPECT_EQ(this->fit(std::vector<float>(side * side, nan), 50, 47, config).star.flux, 0);
  EXPECT_EQ(this->fit(star_at(50, 47, gaussian(1.7), -flux), 50, 47, config).star.flux, 0);
}

TYPED_TEST(PsfFits, KnowWhatTheEdgeCutsOff) {
  const PsfPlane shape = moffat(2.2, 1.2, 0.3);
  for (const auto& [x, y] : {std::pair{2.2, 47.0}, std::pair{98.7, 99.1}, std::pair{50.0, 2.4}})
    EXPECT_NEAR(this->fit(star_at(x, y, shape), x, y, with_psf(31, 1, 4, {shape})).star.flux / flux, 1, 3e-3) << x;
  // A mask that is wider than the image.
  EXPECT_NEAR(this->fit(star_at(50.2, 48, shape), 50.2, 48, with_psf(201, 1, 4, {shape})).star.flux / flux, 1, 3e-3);
}

TYPED_TEST(PsfFits, TellGalaxiesFromStars) {
  const PsfPlane shape = gaussian(1.7);
  const Settings config = with_psf(41, 1, 4, {shape});
  const StarSpread star = this->fit(star_at(50.3, 47.2, shape), 50.3, 47.2, config).spread;
  const StarSpread galaxy = this->fit(star_at(50.3, 47.2, gaussian(2.2)), 50.3, 47.2, config).spread;
  const StarSpread peak = this->fit(star_at(50.3, 47.2, gaussian(1.2)), 50.3, 47.2, config).spread;
  EXPECT_NEAR(star.spread, 0, 1e-4);
  EXPECT_GT(galaxy.spread, 0.005);
  EXPECT_LT(peak.spread, -0.005);
  EXPECT_GT(star.error, 0);
}

/// Scatter over noise alone: that of flux and SPREAD_MODEL is their error.
TYPED_TEST(PsfFits, HaveErrorsThatAreTheirScatter) {
  constexpr int stars = 400;
  constexpr double sigma = 3;
  const PsfPlane shape = moffat(2.2, 1.2, 0.3);
  const Settings config = with_psf(81, 0.5, 8, {shape});
  for (const unsigned int seed : {1U, 2U}) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, sigma);
    std::uniform_real_distribution<double> place(45, 55);
    double pulls = 0, squares = 0, of_spread = 0, resampled = 0;
    for (int i = 0; i < stars; ++i) {
      const double x = place(random), y = place(random);
      std::vector<float> pixels = star_at(x, y, shape);
      for (float& pixel : pixels) pixel += static_cast<float>(noise(random));
      const auto [star, spread] = this->fit(pixels, x, y, config, sigma);
      const double pull = (star.flux - flux) / (sigma * std::sqrt(star.pixels));
      pulls += pull / stars;
      resampled += 4e-4 * flux / (sigma * std::sqrt(star.pixels)) / stars;
      squares += pull * pull / stars;
      of_spread += spread.spread * spread.spread / (sigma * sigma * spread.error * spread.error) / stars;
    }
    // Three standard errors of the mean, and what Lanczos' kernel is off at a width of 4.4 pixels of the mask.
    EXPECT_NEAR(pulls, 0, 0.15 + resampled) << seed;
    EXPECT_NEAR(std::sqrt(squares), 1, 0.15) << seed;
    EXPECT_NEAR(std::sqrt(of_spread), 1, 0.2) << seed;
  }
}

}  // namespace
}  // namespace srcextract::psf_tests
