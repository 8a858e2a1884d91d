#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "stages/galaxy/galaxy_modes.hpp"
#include "stages/galaxy/galaxy_scratch.hpp"
#include "stages/galaxy/galaxy_transform.hpp"
#include "stages/galaxy/lane_functions.hpp"
#include "stages/galaxy/sersic_table.hpp"
#include "tests/stages/galaxy/galaxy_truth.hpp"

namespace srcextract {
namespace {

using std::numbers::pi;
using testing::SlowGalaxy;
using testing::SmoothPsf;

constexpr GalaxyModel spheroid_alone = {.spheroid = true, .free_index = true};

/// A PSF made ready, which is sampled as PSFEx does.
struct ReadyPsf {
  ReadyPsf(SmoothPsf::Kind kind, double width, double stretch)
      : fwhm(width), psf(kind, width, stretch), numbers(psf.numbers(std::min(1.0, width / 4.7), width)) {}

  std::shared_ptr<const PsfSpectra> spectra(int side) const { return make_psf_spectra(PsfModel(numbers.data()), side); }

  double fwhm;
  SmoothPsf psf;
  std::vector<double> numbers;
};

double transform_of(const SersicOfIndex& of, double square) {
  const auto place = place_in_table(static_cast<float>(square));
  const float* const c = of.transform[place.entry];
  return c[0] + place.f * (c[1] + place.f * (c[2] + place.f * c[3]));
}

TEST(SersicTable, HoldsTheKnownTransformsOfIndexHalfAndOne) {
  SersicOfIndex of;
  double worst = 0;
  for (double ln_k = -12; ln_k < 7; ln_k += 0.0137) {
    const double square = std::exp(2 * ln_k);
    take_index(std::log(0.5), true, of);
    worst = std::max(worst, std::fabs(transform_of(of, square) - std::exp(-square / (4 * std::log(2.0)))));
    take_index(0, true, of);
    constexpr double b = 1.6783469900166605;
    worst = std::max(worst, std::fabs(transform_of(of, square) - std::pow(1 + square / (b * b), -1.5)));
  }
  EXPECT_LT(worst, 1e-5);
}

TEST(SersicTable, HoldsBPeakAndLightBeyondARadius) {
  for (const double n : {0.3, 0.37, 0.5, 0.8, 1.0, 1.9, 4.0, 6.3, 8.0}) {
    SersicOfIndex of;
    take_index(std::log(n), true, of);
    const double b = testing::slow_b(n);
    EXPECT_NEAR(of.b, b, 1e-6);
    EXPECT_NEAR(of.log_peak, std::log(std::pow(b, 2 * n) / (2 * pi * n * std::tgamma(2 * n))), 1e-6);
  }
  SersicOfIndex of;
  for (const double r : {0.5, 1.0, 2.0, 5.0, 9.7}) {
    take_index(std::log(0.5), true, of);
    EXPECT_NEAR(light_beyond(of, r * r).part, std::exp(-std::log(2.0) * r * r), 1e-4);
    take_index(0, true, of);
    const LightBeyond light = light_beyond(of, r * r);
    EXPECT_NEAR(light.part, (1 + of.b * r) * std::exp(-of.b * r), 5e-5);
    EXPECT_NEAR(light.by_radius, -of.b * of.b * r * r * std::exp(-of.b * r), 1e-3);
  }
}

TEST(LaneFunctions, AreAsCloseAsTheySay) {
  for (float x = 1e-12F; x < 1e12F; x *= 1.013F) {
    EXPECT_NEAR(lane_log(x), std::log(static_cast<double>(x)), 2e-7 * std::max(1.0F, std::fabs(std::log(x))));
  }
  for (float x = -80; x < 80; x += 0.0371F) {
    EXPECT_NEAR(lane_exp(x) / std::exp(static_cast<double>(x)), 1, 2e-7 * (1 + std::fabs(x))) << x;
  }
  EXPECT_GT(lane_exp(-1e9F), 0);
}

TEST(BoxTransform, IsTheDirectSum) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const int side : galaxy_sides) {
    const BoxTransform transform(side);
    const int width = 24;
    AlignedFloats data[2];
    for (AlignedFloats& one : data) one.reset(static_cast<std::size_t>(side) * width);
    for (int i = 0; i < side * width; ++i) {
      data[0].data()[i] = uniform(random);
      data[1].data()[i] = uniform(random);
    }
    std::vector<std::complex<double>> in(static_cast<std::size_t>(side) * width);
    for (int i = 0; i < side * width; ++i) in[i] = {data[0].data()[i], data[1].data()[i]};
    transform.transform(width, data[0].data(), data[1].data(), data[0].data(), data[1].data());
    double worst = 0;
    for (int p = 0; p < side; ++p) {
      for (int x = 0; x < width; x += 3) {
        std::complex<double> sum = 0;
        for (int k = 0; k < side; ++k) sum += in[k * width + x] * std::polar(1.0, 2 * pi * (k * p % side) / side);
        const std::complex<double> out(data[0].data()[p * width + x], data[1].data()[p * width + x]);
        worst = std::max(worst, std::abs(out - sum));
      }
    }
    EXPECT_LT(worst, 3e-7 * side) << side;
  }
}

struct RenderCase {
  double n, re, q;
};

/// Compares a rendered galaxy with the integral at pixels near the centre and over the box.
void expect_rendered(const ReadyPsf& ready, const RenderCase& of, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  const SlowGalaxy slow(ready.psf, ready.fwhm, uniform(random), uniform(random), of.re, of.q, 2 * pi * uniform(random),
                        of.n);
  const int side = testing::side_for(of.re, ready.fwhm);
  const auto scratch = make_galaxy_scratch(side);
  std::vector<float> image(static_cast<std::size_t>(side) * side);
  render_galaxy(spheroid_alone, slow.parameters, *ready.spectra(side), 1, 1, *scratch, image.data());
  double peak = 0, worst = 0;
  const auto compare = [&](int x, int y) {
    const double expected = slow.at(x, y);
    peak = std::max(peak, expected);
    worst = std::max(worst, std::fabs(image[(y + side / 2) * side + x + side / 2] - expected));
  };
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) compare(x, y);
  }
  for (int i = 0; i < 24; ++i) {
    // Half of them near the centre.
    const double by = i % 2 == 0 ? side * 0.99 : std::min(6 + 2 * of.re, side * 0.99);
    compare(static_cast<int>(std::floor(by * uniform(random))), static_cast<int>(std::floor(by * uniform(random))));
  }
  EXPECT_LT(worst, 1e-4) << "n " << of.n << " re " << of.re << " q " << of.q << " FWHM " << ready.fwhm;
  EXPECT_LT(worst, 1e-3 * peak) << "n " << of.n << " re " << of.re << " q " << of.q << " FWHM " << ready.fwhm;
  if (const char* const print = std::getenv("SRCEXTRACT_PRINT_ERRORS"); print != nullptr) {
    std::printf("FWHM %.1f n %.1f re %4.1f q %.1f side %3d: %.1e of the flux, %.1e of the peak\n", ready.fwhm, of.n,
                of.re, of.q, side, worst, worst / peak);
  }
}

class RenderedGalaxy : public ::testing::TestWithParam<std::tuple<SmoothPsf::Kind, double, double>> {};

TEST_P(RenderedGalaxy, IsTheIntegralOfProfileAndPsf) {
  const auto [kind, fwhm, stretch] = GetParam();
  const ReadyPsf ready(kind, fwhm, stretch);
  std::mt19937 random(7);
  for (const RenderCase& of : {RenderCase{0.3, 3, 0.7},
                               {0.5, 10, 0.1},
                               {0.8, 0.3, 1},
                               {1, 1, 0.5},
                               {1, 6, 0.3},
                               {1.5, 15, 0.2},
                               {2.5, 2, 0.15},
                               {4, 0.6, 0.8},
                               {4, 4, 0.1},
                               {4, 30, 0.6},
                               {6, 8, 0.4},
                               {8, 0.3, 1},
                               {8, 3, 0.5}}) {
    expect_rendered(ready, of, random);
  }
}

INSTANTIATE_TEST_SUITE_P(Psfs, RenderedGalaxy,
                         ::testing::Values(std::tuple{SmoothPsf::gaussian, 1.6, 1.0},
                                           std::tuple{SmoothPsf::gaussian, 2.5, 1.1},
                                           std::tuple{SmoothPsf::moffat, 3.5, 1.0},
                                           std::tuple{SmoothPsf::airy_like, 2.0, 0.95},
                                           std::tuple{SmoothPsf::airy_like, 5.0, 1.0}));

TEST(RenderedDerivatives, AreCentralDifferences) {
  const ReadyPsf ready(SmoothPsf::gaussian, 2.2, 1.05);
  struct Case {
    double x, y, rc, e1, e2, n;
    int side;
  };
  for (const Case& of : {Case{0.2, -0.4, 2, 0.3, 0.4, 1.3, 32},
                         {-0.3, 0.1, 5, 0.7, -0.8, 4, 64},
                         {0, 0, 1, 0, 0, 0.6, 48},
                         {0.4, 0.3, 7, -0.2, 0.9, 0.9, 96}}) {
    const auto spectra = ready.spectra(of.side);
    GalaxyScratch scratch(of.side);
    scratch.take_psf(*spectra, 1, 1);
    const std::size_t pixels = scratch.pixels();
    float* image[most_component_images];
    for (int j = 0; j < most_component_images; ++j) image[j] = scratch.image(j);
    const double at[] = {of.x, of.y, std::log(of.rc), of.e1, of.e2, std::log(of.n)};
    scratch.render_profile({at[2], at[3], at[4], at[5]}, at[0], at[1], 7, 0, image);
    float* const moved = scratch.image(most_component_images);
    for (int j = 0; j < 6; ++j) {
      constexpr double step = 0.02;
      std::vector<double> difference(pixels, 0.0);
      for (const auto& [by, weight] : {std::pair{-2, 1.0}, {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
        double to[6];
        std::copy(at, at + 6, to);
        to[j] += by * step;
        scratch.render_profile({to[2], to[3], to[4], to[5]}, to[0], to[1], 1, 1, &moved);
        for (std::size_t i = 0; i < pixels; ++i) difference[i] += weight * moved[i] / (12 * step);
      }
      double worst = 0, most = 0;
      for (std::size_t i = 0; i < pixels; ++i) {
        worst = std::max(worst, std::fabs(image[j + 1][i] - difference[i]));
        most = std::max(most, std::fabs(difference[i]));
      }
      EXPECT_LT(worst, 2e-3 * most) << "derivative " << j << " side " << of.side;
    }
  }
}

TEST(RenderedPoint, IsThePsf) {
  const ReadyPsf ready(SmoothPsf::airy_like, 2.6, 1.08);
  for (const int side : galaxy_sides) {
    const auto scratch = make_galaxy_scratch(256);
    GalaxyParameters at;
    at.x = 0.37;
    at.y = -0.21;
    at.point_flux = 1;
    std::vector<float> image(static_cast<std::size_t>(side) * side);
    render_galaxy({.point = true}, at, *ready.spectra(side), 1, 1, *scratch, image.data());
    double worst = 0;
    for (int y = -side / 2; y < side / 2; ++y) {
      for (int x = -side / 2; x < side / 2; ++x) {
        const double expected = ready.psf.at(x - at.x, y - at.y);
        worst = std::max(worst, std::fabs(image[(y + side / 2) * side + x + side / 2] - expected));
      }
    }
    EXPECT_LT(worst, 1e-4 * ready.psf.at(0, 0)) << side;
  }
}

TEST(ProfileLight, HasUnitFluxAndIsKnownForIndexOne) {
  const double q = 0.4, rc = 5, angle = 0.7, h = -std::log(q), b = 1.6783469900166605;
  const GalaxyShape shape{std::log(rc), h * std::cos(2 * angle), h * std::sin(2 * angle), 0};
  const double re = rc / std::sqrt(q);
  std::vector<float> row(150, 0.0F);
  for (const double dy : {-30.0, 0.4, 25.0}) {
    std::fill(row.begin(), row.end(), 0.0F);
    add_profile_row(shape, 1000, -70.3, dy, static_cast<int>(row.size()), row.data());
    for (int i = 0; i < 150; ++i) {
      const double dx = -70.3 + i, u = std::cos(angle) * dx + std::sin(angle) * dy;
      const double v = (std::cos(angle) * dy - std::sin(angle) * dx) / q, r = std::hypot(u, v) / re;
      const double expected = b * b / (2 * pi * re * re * q) * std::exp(-b * r);
      EXPECT_NEAR(profile_at(shape, dx, dy) / expected, 1, 1e-5);
      EXPECT_NEAR(row[i] / (1000 * expected), 1, 2e-5);
    }
  }
  for (const double n : {0.5, 1.0, 4.0}) {
    GalaxyShape of = shape;
    of.ln_n = std::log(n);
    const double reach = profile_reach(of, 5000, 0.01);
    EXPECT_NEAR(5000 * profile_at(of, reach * std::cos(angle), reach * std::sin(angle)), 0.01, 1e-7);
    EXPECT_EQ(profile_reach(of, 1e-6, 0.01), 0);
  }
}

}  // namespace
}  // namespace srcextract
