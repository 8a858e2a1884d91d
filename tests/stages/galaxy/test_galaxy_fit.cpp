#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "stages/galaxy/galaxy_fit.hpp"
#include "tests/stages/galaxy/galaxy_truth.hpp"

namespace srcextract {
namespace {

using testing::SlowGalaxy;
using testing::SmoothPsf;

constexpr GalaxyModel sersic = {.spheroid = true, .free_index = true};
constexpr GalaxyModel two_parts = {.spheroid = true, .index = 4, .disk = true};
constexpr GalaxyPriors weak = {.sigma_ln_rc = 1, .sigma_e = 0.6, .mean_ln_n = 0.35, .sigma_ln_n = 0.6};
constexpr int rounds = 40;
constexpr double fwhm = 2.4;

/// One PSF for all tests, which is not round.
struct FitPsf {
  SmoothPsf psf{SmoothPsf::gaussian, fwhm, 1.06};
  std::vector<double> numbers = psf.numbers(0.55, fwhm);

  std::shared_ptr<const PsfSpectra> spectra(int side) const { return make_psf_spectra(PsfModel(numbers.data()), side); }
};
const FitPsf& fit_psf() {
  static const FitPsf psf;
  return psf;
}

/// Pixels of a galaxy whose total signal is `signal` times its noise: variance 1 and the photons of the galaxy.
class NoisyBox {
 public:
  NoisyBox(std::vector<double> truth, int side, double signal, double per_photon)
      : truth_(std::move(truth)), side_(side), per_photon_(per_photon) {
    for (int turn = 0; turn < 8; ++turn) {
      double sum = 0;
      for (const double one : truth_) sum += flux_ * flux_ * one * one / (1 + flux_ * one * per_photon_);
      flux_ *= signal / std::sqrt(sum);
    }
    light.resize(truth_.size());
    variance.assign(truth_.size(), 1.0F);
  }

  void draw(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < truth_.size(); ++i) {
      const double exact = flux_ * truth_[i];
      light[i] = static_cast<float>(exact + normal(random) * std::sqrt(1 + exact * per_photon_));
    }
  }
  GalaxyBox box() const { return {side_, light.data(), variance.data(), per_photon_}; }
  double flux() const { return flux_; }
  int side() const { return side_; }

  std::vector<float> light, variance;

 private:
  std::vector<double> truth_;
  int side_;
  double per_photon_, flux_ = 100;
};

SlowGalaxy galaxy(double x, double y, double re, double q, double angle, double n) {
  return {fit_psf().psf, fwhm, x, y, re, q, angle, n};
}

/// A start as a catalogue gives it: near the place, with a wrong size, a rounder shape and the usual index.
GalaxyParameters start_near(const GalaxyParameters& truth) {
  GalaxyParameters start;
  start.x = std::round(truth.x * 5) / 5 + 0.1;
  start.y = std::round(truth.y * 5) / 5 - 0.1;
  start.spheroid = {truth.spheroid.ln_rc + 0.25, truth.spheroid.e1 * 0.6, truth.spheroid.e2 * 0.6, std::log(1.3)};
  return start;
}

GalaxyFit fit(const GalaxyModel& model, const GalaxyParameters& start, const NoisyBox& noisy,
              const GalaxyPriors& priors = weak) {
  const auto scratch = make_galaxy_scratch(noisy.side());
  return fit_galaxy(model, start, noisy.box(), priors, rounds, *fit_psf().spectra(noisy.side()), 1, 1, *scratch);
}

bool same_bytes(const GalaxyFit& a, const GalaxyFit& b) {
  return std::memcmp(&a.at, &b.at, sizeof(a.at)) == 0 && a.chi2 == b.chi2 && a.flags == b.flags &&
         std::memcmp(a.covariance, b.covariance, sizeof(a.covariance)) == 0;
}

void expect_finite(const GalaxyFit& of) {
  for (const double value :
       {of.at.x, of.at.y, of.at.spheroid.ln_rc, of.at.spheroid.e1, of.at.spheroid.e2, of.at.spheroid.ln_n,
        of.at.disk.ln_rc, of.at.spheroid_flux, of.at.disk_flux, of.at.point_flux, of.at.level, of.chi2}) {
    EXPECT_TRUE(std::isfinite(value));
  }
  for (const auto& row : of.covariance) {
    for (const double value : row) EXPECT_TRUE(std::isfinite(value));
  }
}

/// Values minus truth, divided by the error.
struct Pulls {
  std::vector<double> of;

  void add(double value, double truth, double variance) { of.push_back((value - truth) / std::sqrt(variance)); }
  double mean() const {
    double sum = 0;
    for (const double one : of) sum += one;
    return sum / static_cast<double>(of.size());
  }
  double width() const {
    double sum = 0;
    for (const double one : of) sum += (one - mean()) * (one - mean());
    return std::sqrt(sum / static_cast<double>(of.size() - 1));
  }
};

TEST(GalaxyFit, HasNoBiasAndErrorsOfTheRightSize) {
  // Position angles, sizes and indices of usual galaxies, at signal to noise of 60 to 200.
  const char* const names[] = {"flux", "x", "y", "ln rc", "e1", "e2", "ln n", "q"};
  Pulls pulls[8];
  const auto scratch = make_galaxy_scratch(48);
  unsigned seed = 1;
  for (const auto& [truth, signal] : {std::pair{galaxy(0.2, -0.3, 2.2, 0.6, 0.4, 1), 60.0},
                                      {galaxy(-0.4, 0.1, 3, 0.45, 1.9, 1.6), 100.0},
                                      {galaxy(0.05, 0.45, 1.6, 0.75, 2.6, 0.7), 70.0},
                                      {galaxy(-0.1, -0.2, 2.5, 0.7, 1.2, 2.5), 200.0}}) {
    const int side = 32;
    NoisyBox noisy(truth.image(side), side, signal, 0.2);
    const auto spectra = fit_psf().spectra(side);
    for (int turn = 0; turn < 60; ++turn) {
      noisy.draw(seed++);
      const GalaxyFit found =
          fit_galaxy(sersic, start_near(truth.parameters), noisy.box(), weak, rounds, *spectra, 1, 1, *scratch);
      EXPECT_EQ(found.flags, 0U);
      EXPECT_EQ(found.pixels, side * side);
      EXPECT_EQ(found.fitted, 7);
      EXPECT_NEAR(found.chi2, side * side, 6 * std::sqrt(2.0) * side);
      const auto& c = found.covariance;
      const GalaxyShape &is = found.at.spheroid, &was = truth.parameters.spheroid;
      pulls[0].add(found.at.spheroid_flux, noisy.flux(), c[of_spheroid_flux][of_spheroid_flux]);
      pulls[1].add(found.at.x, truth.parameters.x, c[of_centre_x][of_centre_x]);
      pulls[2].add(found.at.y, truth.parameters.y, c[of_centre_y][of_centre_y]);
      pulls[3].add(is.ln_rc, was.ln_rc, c[of_spheroid_size][of_spheroid_size]);
      pulls[4].add(is.e1, was.e1, c[of_spheroid_e1][of_spheroid_e1]);
      pulls[5].add(is.e2, was.e2, c[of_spheroid_e2][of_spheroid_e2]);
      pulls[6].add(is.ln_n, was.ln_n, c[of_spheroid_index][of_spheroid_index]);
      const double h = std::hypot(is.e1, is.e2), a = is.e1 / h, b = is.e2 / h;
      const double of_h = a * a * c[of_spheroid_e1][of_spheroid_e1] + b * b * c[of_spheroid_e2][of_spheroid_e2] +
                          2 * a * b * c[of_spheroid_e1][of_spheroid_e2];
      pulls[7].add(h, std::hypot(was.e1, was.e2), of_h);
    }
  }
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(pulls[i].mean(), 0, 0.25) << names[i];
    EXPECT_GT(pulls[i].width(), 0.8) << names[i];
    EXPECT_LT(pulls[i].width(), 1.2) << names[i];
  }
}

TEST(GalaxyFit, FindsTheTruthOfABrightGalaxyInEverySide) {
  for (const int side : galaxy_sides) {
    const SlowGalaxy truth = galaxy(0.3, -0.2, side / 13.0, 0.6, 0.7, 1);
    // The integral is slow, so larger boxes are rendered. Rendering has its own test.
    NoisyBox noisy(
        [&] {
          if (side == 32) return truth.image(side);
          const auto scratch = make_galaxy_scratch(side);
          std::vector<float> image(static_cast<std::size_t>(side) * side);
          render_galaxy(sersic, truth.parameters, *fit_psf().spectra(side), 1, 1, *scratch, image.data());
          return std::vector<double>(image.begin(), image.end());
        }(),
        side, 1000, 0);
    noisy.draw(5);
    const GalaxyFit found = fit(sersic, start_near(truth.parameters), noisy);
    EXPECT_EQ(found.flags, 0U) << side;
    EXPECT_NEAR(found.at.spheroid_flux / noisy.flux(), 1, 0.01) << side;
    EXPECT_NEAR(found.at.x, truth.parameters.x, 0.02) << side;
    EXPECT_NEAR(found.at.spheroid.ln_rc, truth.parameters.spheroid.ln_rc, 0.01) << side;
    EXPECT_NEAR(found.at.spheroid.ln_n, 0, 0.03) << side;
    EXPECT_LT(found.rounds, 12);
  }
}

TEST(GalaxyFit, FindsBothFluxesOfBulgeAndDisk) {
  const SlowGalaxy bulge = galaxy(0.2, 0.1, 1.6, 0.8, 0.3, 4), disk = galaxy(0.2, 0.1, 5, 0.5, 0.9, 1);
  const int side = 48;
  std::vector<double> sum = bulge.image(side);
  const std::vector<double> of_disk = disk.image(side);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = 0.4 * sum[i] + 0.6 * of_disk[i];
  NoisyBox noisy(sum, side, 600, 0.1);
  GalaxyParameters start = start_near(bulge.parameters);
  start.disk = disk.parameters.spheroid;
  start.disk.ln_rc += 0.2;
  Pulls of_bulge, of_both;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    noisy.draw(seed);
    const GalaxyFit found = fit(two_parts, start, noisy);
    EXPECT_EQ(found.flags, 0U);
    EXPECT_EQ(found.fitted, 10);
    EXPECT_DOUBLE_EQ(found.at.spheroid.ln_n, std::log(4));
    const auto& c = found.covariance;
    of_bulge.add(found.at.spheroid_flux, 0.4 * noisy.flux(), c[of_spheroid_flux][of_spheroid_flux]);
    of_both.add(
        found.at.spheroid_flux + found.at.disk_flux, noisy.flux(),
        c[of_spheroid_flux][of_spheroid_flux] + c[of_disk_flux][of_disk_flux] + 2 * c[of_spheroid_flux][of_disk_flux]);
    EXPECT_NEAR(found.at.disk.ln_rc, disk.parameters.spheroid.ln_rc, 0.1);
  }
  EXPECT_NEAR(of_bulge.mean(), 0, 0.8);
  EXPECT_NEAR(of_both.mean(), 0, 0.8);
  EXPECT_LT(of_bulge.width(), 1.5);
  EXPECT_LT(of_both.width(), 1.5);
}

TEST(GalaxyFit, TakesPriorsOfSizesFromWhereTheyAreSaid) {
  const SlowGalaxy disk = galaxy(0, 0, 4, 0.7, 0.2, 1);
  NoisyBox noisy(disk.image(48), 48, 8, 0);
  noisy.draw(5);
  const auto bulge_size = [&](double start_at, double mean) {
    GalaxyParameters start = start_near(disk.parameters);
    start.disk = start.spheroid;
    start.spheroid.ln_rc = start_at;
    GalaxyPriors priors = weak;
    priors.mean_spheroid_ln_rc = mean;
    priors.mean_disk_ln_rc = start.disk.ln_rc;
    return fit(two_parts, start, noisy, priors).at.spheroid.ln_rc;
  };
  // a bulge too faint to tell its size keeps that of the prior, wherever the fit starts
  EXPECT_NEAR(bulge_size(0.3, 0.9), bulge_size(1.2, 0.9), 0.1);
  EXPECT_NEAR(bulge_size(0.9, 0.9) - bulge_size(0.9, 0.3), 0.6, 0.3);
}

TEST(GalaxyFit, SetsANegativeFluxOfAPartToZero) {
  const SlowGalaxy disk = galaxy(-0.2, 0.3, 3, 0.6, 0.5, 0.6);  // flatter in its middle than a disk
  NoisyBox noisy(disk.image(32), 32, 300, 0);
  noisy.draw(3);
  GalaxyParameters start = start_near(disk.parameters);
  start.disk = start.spheroid;
  const GalaxyFit found = fit(two_parts, start, noisy);
  expect_finite(found);
  EXPECT_GE(found.at.spheroid_flux, 0);
  EXPECT_LT(found.at.spheroid_flux, 0.01 * noisy.flux());
  EXPECT_NEAR(found.at.disk_flux / noisy.flux(), 1, 0.15);
}

TEST(GalaxyFit, FindsDiskPointAndLevel) {
  const SlowGalaxy truth = galaxy(0.1, 0.4, 2.5, 0.5, 2.1, 1);
  NoisyBox noisy(truth.image(48), 48, 300, 0);
  noisy.draw(8);
  GalaxyParameters start;
  start.disk = start_near(truth.parameters).spheroid;
  GalaxyFit found = fit({.disk = true}, start, noisy);
  EXPECT_EQ(found.flags, 0U);
  EXPECT_EQ(found.fitted, 6);
  EXPECT_EQ(found.at.spheroid_flux, 0);
  EXPECT_NEAR(found.at.disk_flux / noisy.flux(), 1, 0.02);
  EXPECT_NEAR(found.at.disk.e1, truth.parameters.spheroid.e1, 0.05);

  for (float& pixel : noisy.light) pixel += 2.5F;
  found = fit({.disk = true, .level = true}, start, noisy);
  EXPECT_EQ(found.fitted, 7);
  EXPECT_NEAR(found.at.level, 2.5, 5 * std::sqrt(found.covariance[of_level][of_level]));
  EXPECT_NEAR(found.at.disk_flux / noisy.flux(), 1, 0.03);

  std::vector<double> star;
  for (int y = -16; y < 16; ++y) {
    for (int x = -16; x < 16; ++x) star.push_back(fit_psf().psf.at(x - 0.23, y + 0.41));
  }
  Pulls flux, x;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    NoisyBox point(star, 32, 80, 0.3);
    point.draw(seed);
    found = fit({.point = true}, {}, point);
    EXPECT_EQ(found.flags, 0U);
    flux.add(found.at.point_flux, point.flux(), found.covariance[of_point_flux][of_point_flux]);
    x.add(found.at.x, 0.23, found.covariance[of_centre_x][of_centre_x]);
  }
  EXPECT_NEAR(flux.mean(), 0, 0.3);
  EXPECT_NEAR(x.mean(), 0, 0.3);
  EXPECT_NEAR(flux.width(), 1, 0.2);
  EXPECT_NEAR(x.width(), 1, 0.2);
}

TEST(GalaxyFit, FindsStarsSmall) {
  std::vector<double> star;
  for (int y = -16; y < 16; ++y) {
    for (int x = -16; x < 16; ++x) star.push_back(fit_psf().psf.at(x - 0.1, y + 0.3));
  }
  double sum = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    NoisyBox noisy(star, 32, 100, 0.1);
    noisy.draw(seed);
    GalaxyParameters start;
    start.spheroid = {std::log(0.25 * fwhm), 0.1, 0, std::log(1.3)};
    const GalaxyFit found = fit(sersic, start, noisy);
    expect_finite(found);
    sum += found.at.spheroid_flux / noisy.flux() - 1;
    EXPECT_LT(std::exp(found.at.spheroid.ln_rc), 0.5);
  }
  EXPECT_NEAR(sum / 40, 0, 0.01);
}

TEST(GalaxyFit, LeavesOutPixelsThatCountForNothing) {
  const SlowGalaxy truth = galaxy(0.2, -0.1, 2.5, 0.6, 0.5, 1.2);
  NoisyBox noisy(truth.image(32), 32, 300, 0.1);
  noisy.draw(4);
  // A row is masked, a corner is beyond the image's edge, a pixel is NaN, another infinite.
  for (int i = 0; i < 32; ++i) noisy.variance[20 * 32 + i] = i % 2 == 0 ? 0 : std::numeric_limits<float>::infinity();
  for (int y = 0; y < 12; ++y) {
    for (int x = 0; x < 32; ++x) noisy.variance[y * 32 + x] = -1;
  }
  noisy.variance[13 * 32] = std::numeric_limits<float>::quiet_NaN();
  noisy.light[14 * 32 + 3] = std::numeric_limits<float>::quiet_NaN();
  const int used = 32 * 32 - 32 - 12 * 32 - 2;
  const GalaxyFit found = fit(sersic, start_near(truth.parameters), noisy);
  EXPECT_EQ(found.pixels, used);
  EXPECT_NEAR(found.at.spheroid_flux / noisy.flux(), 1, 0.05);
  // What is in these pixels does not matter.
  NoisyBox other = noisy;
  for (int i = 0; i < 12 * 32; ++i) other.light[i] = 1e6F;
  for (int i = 0; i < 32; ++i) other.light[20 * 32 + i] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(same_bytes(found, fit(sersic, start_near(truth.parameters), other)));
}

TEST(GalaxyFit, DoesNotFailWithoutPixelsOrLight) {
  const SlowGalaxy truth = galaxy(0.2, -0.1, 2.5, 0.6, 0.5, 1.2);
  const std::vector<double> image = truth.image(32);
  for (const GalaxyModel& model :
       {sersic, two_parts, GalaxyModel{.spheroid = true, .index = 1}, GalaxyModel{.disk = true},
        GalaxyModel{.point = true},
        GalaxyModel{.spheroid = true, .free_index = true, .disk = true, .point = true, .level = true}}) {
    NoisyBox noisy(image, 32, 100, 0.1);
    noisy.draw(1);
    GalaxyParameters start = start_near(truth.parameters);
    start.disk = start.spheroid;
    expect_finite(fit(model, start, noisy));

    NoisyBox of = noisy;
    for (float& one : of.variance) one = 0;
    GalaxyFit found = fit(model, start, of);
    expect_finite(found);
    EXPECT_EQ(found.flags & galaxy_few_pixels, galaxy_few_pixels);
    EXPECT_EQ(found.pixels, 0);

    of.variance[16 * 32 + 16] = of.variance[16 * 32 + 17] = 1;
    found = fit(model, start, of);
    expect_finite(found);
    EXPECT_EQ(found.flags & galaxy_few_pixels, galaxy_few_pixels);
    EXPECT_GT(found.at.spheroid_flux + found.at.disk_flux + found.at.point_flux, 0);

    of = noisy;
    for (float& one : of.light) one = std::numeric_limits<float>::quiet_NaN();
    expect_finite(fit(model, start, of));
    for (float& one : of.light) one = 0;  // no light, no priors
    expect_finite(fit(model, start, of, {}));
    for (float& one : of.light) one = -5;
    expect_finite(fit(model, start, of));
    start.x = start.spheroid.ln_rc = std::numeric_limits<double>::quiet_NaN();
    start.disk.e1 = std::numeric_limits<double>::infinity();
    expect_finite(fit(model, start, noisy));
  }
}

TEST(GalaxyFit, FlagsLimitsAndRounds) {
  const SlowGalaxy truth = galaxy(0.2, -0.1, 2.5, 0.6, 0.5, 1.2);
  NoisyBox noisy(truth.image(32), 32, 200, 0);
  noisy.draw(2);
  const auto scratch = make_galaxy_scratch(32);
  const auto spectra = fit_psf().spectra(32);
  GalaxyFit found = fit_galaxy(sersic, start_near(truth.parameters), noisy.box(), weak, 1, *spectra, 1, 1, *scratch);
  EXPECT_EQ(found.flags, galaxy_not_converged);
  EXPECT_EQ(found.rounds, 1);
  // A box of pixels that are brighter outside: the index goes down to its limit.
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 32; ++x) {
      noisy.light[y * 32 + x] = (x - 16) * (x - 16) + (y - 16) * (y - 16) < 50 ? 30.0F : 0;
    }
  }
  found = fit(sersic, start_near(truth.parameters), noisy, {});
  EXPECT_EQ(found.flags & galaxy_at_lower_limit, galaxy_at_lower_limit);
}

TEST(GalaxyFit, HasTheSameBytesInEveryScratchAndUnit) {
  const SlowGalaxy truth = galaxy(0.2, -0.1, 2.5, 0.6, 0.5, 1.2);
  NoisyBox noisy(truth.image(32), 32, 100, 0.25);
  noisy.draw(6);
  const GalaxyParameters start = start_near(truth.parameters);
  const GalaxyFit first = fit(sersic, start, noisy);
  // A scratch that has been used for other models and sides.
  const auto scratch = make_galaxy_scratch(256);
  for (const int side : {96, 48}) {
    NoisyBox other(std::vector<double>(static_cast<std::size_t>(side) * side, 1e-3), side, 50, 0);
    other.draw(1);
    fit_galaxy(two_parts, start, other.box(), weak, 3, *fit_psf().spectra(side), 5, 5, *scratch);
  }
  const GalaxyFit second = fit_galaxy(sersic, start, noisy.box(), weak, rounds, *fit_psf().spectra(32), 1, 1, *scratch);
  EXPECT_TRUE(same_bytes(first, second));
  // Units of the pixels: by a power of 4, fluxes are exactly that much smaller.
  NoisyBox small = noisy;
  const float by = std::ldexp(1.0F, -40);
  for (float& one : small.light) one *= by;
  for (float& one : small.variance) one *= by * by;
  GalaxyBox box = small.box();
  box.per_photon *= by;
  const GalaxyFit scaled = fit_galaxy(sersic, start, box, weak, rounds, *fit_psf().spectra(32), 1, 1, *scratch);
  EXPECT_EQ(scaled.at.spheroid_flux, first.at.spheroid_flux * static_cast<double>(by));
  EXPECT_EQ(scaled.at.spheroid.ln_n, first.at.spheroid.ln_n);
  EXPECT_EQ(scaled.chi2, first.chi2);
}

}  // namespace
}  // namespace srcextract
