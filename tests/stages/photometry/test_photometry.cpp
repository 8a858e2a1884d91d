#include "stages/photometry/photometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string_view>

#include "stages/photometry/photometry_columns.hpp"
#include "tests/stages/photometry/given_sources.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

using testing::Given;
using testing::photometry_of;
using testing::side;

struct Measured {
  std::vector<CircleFlux> circles;
  std::vector<EllipseFlux> kron;
};

template <class Where>
class PhotometryStage : public StageTest<Where> {
 protected:
  Measured measure(const std::vector<float>& pixels, const std::vector<Given>& sources, const Settings& config) {
    const auto photometry = photometry_of(this->backend(), pixels, sources, config);
    const auto get = [&](const auto& rows) { return this->backend().get(rows.rows, std::ssize(sources) * rows.each); };
    return {get(photometry.template of<CircleFamily>()), get(photometry.template of<KronFamily>())};
  }
};
TYPED_TEST_SUITE(PhotometryStage, Backends);

Settings asking(std::vector<double> apertures, std::vector<double> kron) {
  Settings config;
  config.output.columns = {"FLUX_APER", "FLUX_AUTO"};
  config.measurement.apertures = std::move(apertures);
  config.measurement.kron = std::move(kron);
  return config;
}

/// Of an elliptical Gaussian the mean distance in its own standard deviations is sqrt(pi / 2), and exp(-k^2 / 2) of the
/// light is beyond k of them.
TYPED_TEST(PhotometryStage, AGaussianHasItsKronRadiusAndTheLightWithinIt) {
  constexpr double a = 6, b = 3, angle = 0.4, x0 = 50.3, y0 = 49.8, flux = 1e5;
  const double c = std::cos(angle), s = std::sin(angle);
  std::vector<float> pixels;
  for (std::int64_t y = 0; y < side; ++y) {
    for (std::int64_t x = 0; x < side; ++x) {
      const double dx = static_cast<double>(x) - x0, dy = static_cast<double>(y) - y0;
      const double u = (c * dx + s * dy) / a, v = (c * dy - s * dx) / b;
      pixels.push_back(static_cast<float>(flux / (2 * std::numbers::pi * a * b) * std::exp(-(u * u + v * v) / 2)));
    }
  }
  const Given source{{50, 47, 54},           x0, y0, a * a * c * c + b * b * s * s, a * a * s * s + b * b * c * c,
                     (a * a - b * b) * s * c};
  for (const double factor : {1.5, 2.5, 3.0}) {
    const EllipseFlux kron = this->measure(pixels, {source}, asking({5}, {factor, 1})).kron.at(0);
    const double radius = factor * std::sqrt(std::numbers::pi / 2);
    EXPECT_NEAR(kron.radius, radius, 2e-3 * radius) << factor;
    EXPECT_NEAR(kron.flux, flux * (1 - std::exp(-radius * radius / 2)), 0.01 * flux) << factor;
    EXPECT_NEAR(kron.variance, std::numbers::pi * a * b * radius * radius, 0.03 * kron.variance) << factor;
    EXPECT_EQ(kron.flags, 0) << factor;
  }
  EXPECT_EQ(this->measure(pixels, {source}, asking({5}, {2.5, 4})).kron.at(0).radius, 4);
}

TYPED_TEST(PhotometryStage, ACircleHasItsArea) {
  const std::vector<float> pixels(side * side, 3);
  const std::vector<double> diameters = {2, 5, 10, 23.7, 61};
  for (const double shift : {0.0, 0.25, 0.5}) {
    const Measured all =
        this->measure(pixels, {{{50, 47, 54}, 50 + shift, 50 - shift, 4, 4, 0}}, asking(diameters, {2.5, 3.5}));
    ASSERT_EQ(all.circles.size(), diameters.size());
    for (std::size_t i = 0; i < diameters.size(); ++i) {
      const double radius = diameters[i] / 2, area = std::numbers::pi * radius * radius;
      EXPECT_NEAR(all.circles[i].variance, area, 0.15 * radius) << radius;
      EXPECT_NEAR(all.circles[i].flux, 3 * all.circles[i].variance, 1e-9 * area) << radius;
      EXPECT_EQ(all.circles[i].flags, 0);
    }
  }
  const CircleFlux cut = this->measure(pixels, {{{3, 3, 6}, 4, 3, 4, 4, 0}}, asking({10}, {2.5, 3.5})).circles.at(0);
  EXPECT_EQ(cut.flags, flag::aperture_cut);
  EXPECT_LT(cut.variance, 72);
}

TYPED_TEST(PhotometryStage, ACircleHasExactlyItsAreaWhereThatIsAskedFor) {
  const std::vector<float> pixels(side * side, 3);
  Settings config = asking({0.02, 0.5, 1, 1.3, 5, 23.7, 61, 98}, {2.5, 3.5});
  config.measurement.overlap = Overlap::exact;
  for (const double shift : {0.0, 0.25, 0.437, 0.5}) {
    const Measured all = this->measure(pixels, {{{50, 47, 54}, 50 + shift, 50 - shift, 4, 4, 0}}, config);
    ASSERT_EQ(all.circles.size(), config.measurement.apertures.size());
    for (std::size_t i = 0; i < all.circles.size(); ++i) {
      const double radius = config.measurement.apertures[i] / 2, area = std::numbers::pi * radius * radius;
      EXPECT_NEAR(all.circles[i].variance, area, 1e-12 * area) << radius;
      EXPECT_NEAR(all.circles[i].flux, 3 * area, 3e-12 * area) << radius;
      EXPECT_EQ(all.circles[i].flags, 0);
    }
  }
  config.measurement.apertures = {10};
  const CircleFlux half = this->measure(pixels, {{{50, 0, 6}, 0, 50, 4, 4, 0}}, config).circles.at(0);
  EXPECT_EQ(half.flags, flag::aperture_cut);
  EXPECT_NEAR(half.variance, 12.5 * std::numbers::pi + 4.991654121805545, 1e-12)
      << "half a disc, and half of a column of pixels";
}

/// Light of a neighbour on a sky of 1: mirrored it is 1, left out it is 0.
TYPED_TEST(PhotometryStage, NeighboursCountAsAsked) {
  std::vector<float> pixels(side * side, 1);
  constexpr std::int64_t bright = 6;
  for (std::int64_t x = 53; x < 53 + bright; ++x) pixels[50 * side + x] = 1000;
  const std::vector<Given> sources = {{{50, 48, 53}, 50, 50, 2, 2, 0}, {{50, 53, 53 + bright}, 55.5, 50, 3, 1, 0}};
  Settings config = asking({40}, {2.5, 20});
  const auto fluxes = [&](MaskNeighbours mask) {
    config.measurement.mask = mask;
    const Measured all = this->measure(pixels, sources, config);
    return std::pair(all.circles.at(0).flux, all.kron.at(0).flux);
  };
  const auto [circle, ellipse] = fluxes(MaskNeighbours::correct);
  EXPECT_NEAR(circle, 400 * std::numbers::pi, 3);
  EXPECT_EQ(fluxes(MaskNeighbours::blank), std::pair(circle - bright, ellipse - bright));
  EXPECT_EQ(fluxes(MaskNeighbours::none), std::pair(circle + bright * 999, ellipse + bright * 999));
}

TYPED_TEST(PhotometryStage, ASourceWithoutAShapeIsNotMeasured) {
  const std::vector<float> pixels(side * side, 1);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Given& source : {Given{{50, 48, 53}, 50, 50, -9, 9, 0}, Given{{50, 48, 53}, nan, 50, 2, 2, 0},
                              Given{{50, 48, 53}, 5000, 50, 2, 2, 0}, Given{{50, 48, 53}, 50, 50, 1e40, 2, 0}}) {
    const Measured all = this->measure(pixels, {source}, asking({5}, {2.5, 3.5}));
    EXPECT_TRUE(std::isnan(all.circles.at(0).flux));
    EXPECT_TRUE(std::isnan(all.kron.at(0).flux));
  }
}

TEST(DeclaredColumns, EveryNameIsDeclaredOnce) {
  std::set<std::string_view> names;
  for (const DeclaredColumn& one : declared_columns()) EXPECT_TRUE(names.insert(one.column.name).second);
  EXPECT_GT(names.size(), 100U);
}

TEST(DeclaredColumns, WhatTheSkyIsMadeOfIsMeasuredAndNotWritten) {
  const ColumnChoice choice({"NUMBER", "ALPHAWIN_J2000"});
  EXPECT_TRUE(choice.fills("XWIN_IMAGE"));
  EXPECT_FALSE(choice.has("XWIN_IMAGE"));
  EXPECT_FALSE(choice.fills("X2WIN_IMAGE"));
  EXPECT_TRUE(choice.needs("window"));
  EXPECT_TRUE(choice.needs("kron"));
  EXPECT_FALSE(choice.needs("position noise"));
  EXPECT_TRUE(ColumnChoice({"ERRTHETA_SKY"}).needs("position noise"));
  EXPECT_FALSE(ColumnChoice({"ALPHAPEAK_J2000", "A_WORLD"}).needs("window"));
}

}  // namespace
}  // namespace srcextract
