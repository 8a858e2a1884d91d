// The light of a star by its shape: a Gaussian's flux, place and error are known exactly.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/stages/photometry/given_sources.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/fit_scene.hpp"
#include "tests/support/star_profiles.hpp"

namespace srcextract {
namespace {

using testing::Given;
using testing::nan;
using testing::side;

constexpr double sigma = 1.7, flux = 1000, pi = 3.14159265358979323846;
constexpr Shape shape{side, side};

Settings asks_for_stars() {
  Settings config;
  config.output.columns = {"FLUX_PSF"};
  config.resources.has_star_profile = true;
  return config;
}

std::vector<float> star_at(double x, double y) {
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()), 0);
  testing::add_gaussian(pixels, shape, x, y, flux, sigma * sigma);
  return pixels;
}

/// A source with its peak in the pixel at (x, y).
Given given_star(double x, double y) {
  const auto column = static_cast<std::int32_t>(std::lround(x)), row = static_cast<std::int32_t>(std::lround(y));
  return {{row, column, column + 1}, x, y, 1, 1, 0};
}

template <class Where>
class StarFit : public testing::StageTest<Where> {
 protected:
  StarLight fit(const std::vector<float>& pixels, double x, double y, double correlation = 1) {
    const auto star = testing::gaussian_stars(this->backend(), shape, sigma, correlation);
    const Photometry<Where> measured =
        testing::photometry_of(this->backend(), pixels, {given_star(x, y)}, asks_for_stars(), {}, star.view());
    return this->backend().get(measured.template of<StarFamily>().rows, 1).front();
  }
};
TYPED_TEST_SUITE(StarFit, testing::Backends);

TYPED_TEST(StarFit, FindsFluxAndPlaceBetweenPixels) {
  for (const double dx : {-0.49, -0.2, 0.0, 0.31}) {
    for (const double dy : {-0.4, 0.0, 0.45}) {
      const double x = 50 + dx, y = 47 + dy;
      const StarLight star = this->fit(star_at(x, y), x, y);
      EXPECT_NEAR(star.flux / flux, 1, 0.005) << dx << " " << dy;
      EXPECT_NEAR(star.x, x, 0.02) << dx << " " << dy;
      EXPECT_NEAR(star.y, y, 0.02) << dx << " " << dy;
      EXPECT_LT(star.misfit / star.good, 0.01);  // in counts squared, where the peak has 3000
    }
  }
}

/// A source on the slope of another one's star has no star of its own.
TYPED_TEST(StarFit, IsOfOneSourceAlone) {
  const auto stars = testing::gaussian_stars(this->backend(), shape, sigma, 1);
  const Photometry<TypeParam> measured = testing::photometry_of(
      this->backend(), star_at(50, 47), {given_star(50, 47), given_star(52, 47)}, asks_for_stars(), {}, stars.view());
  const std::vector<StarLight> rows = this->backend().get(measured.template of<StarFamily>().rows, 2);
  EXPECT_NEAR(rows[0].flux / flux, 1, 0.005);
  EXPECT_TRUE(std::isnan(rows[1].flux));
}

/// The effective area of a Gaussian has 4 pi sigma^2 pixels (King 1983).
TYPED_TEST(StarFit, HasTheNoiseOfItsEffectiveArea) {
  const std::vector<float> pixels = star_at(50, 47);
  EXPECT_NEAR(this->fit(pixels, 50, 47).pixels, 4 * pi * sigma * sigma, 0.05);
  EXPECT_NEAR(this->fit(pixels, 50, 47, 2.5).pixels, 2.5 * 4 * pi * sigma * sigma, 0.1);
}

TYPED_TEST(StarFit, LeavesMaskedPixelsOut) {
  std::vector<float> pixels = star_at(50.3, 47.2);
  pixels[47 * side + 51] = pixels[46 * side + 50] = nan;
  const StarLight star = this->fit(pixels, 50.3, 47.2);
  EXPECT_NEAR(star.flux / flux, 1, 0.02);
  for (std::int64_t y = 44; y <= 51; ++y)
    for (std::int64_t x = 47; x <= 50; ++x) pixels[static_cast<std::size_t>(y * side + x)] = nan;
  EXPECT_TRUE(std::isnan(this->fit(pixels, 50.3, 47.2).flux));
}

TYPED_TEST(StarFit, KnowsWhatTheEdgeCutsOff) {
  EXPECT_NEAR(this->fit(star_at(2.2, 47), 2.2, 47).flux / flux, 1, 0.01);
}

/// A line of pixels has no width, at any angle, and a hot pixel neither.
TYPED_TEST(StarFit, TellsTracksAndHotPixelsFromStars) {
  const auto stars = testing::gaussian_stars(this->backend(), shape, sigma, 1);
  const auto flags_of = [&](const std::vector<float>& pixels, double x, double y) {
    const Photometry<TypeParam> measured =
        testing::photometry_of(this->backend(), pixels, {given_star(x, y)}, asks_for_stars(), {}, stars.view(), 1);
    return this->backend().get(measured.template of<StarFamily>().rows, 1).front().flags;
  };
  for (const double dx : {0.0, 0.2, 0.5})
    for (const double dy : {0.0, 0.4}) EXPECT_EQ(flags_of(star_at(50 + dx, 47 + dy), 50 + dx, 47 + dy), 0);
  std::vector<float> hot(star_at(50, 47).size(), 0), faint = hot, wide = hot;
  hot[47 * side + 50] = 60;
  EXPECT_EQ(flags_of(hot, 50, 47), flag::sharp);
  for (int degrees = 0; degrees < 180; degrees += 15) {
    std::vector<float> track(hot.size(), 0);
    for (double along = -9; along <= 9; along += 0.05) {
      const auto x = std::lround(50 + along * std::cos(degrees * pi / 180));
      const auto y = std::lround(47 + along * std::sin(degrees * pi / 180));
      track[static_cast<std::size_t>(y * side + x)] += 1;
    }
    EXPECT_EQ(flags_of(track, 50, 47), flag::sharp) << degrees;
  }
  faint[47 * side + 50] = 2;  // the noise hides whether it is a star
  testing::add_gaussian(wide, shape, 50, 47, flux, 4 * sigma * sigma);
  EXPECT_EQ(flags_of(faint, 50, 47), 0);
  EXPECT_EQ(flags_of(wide, 50, 47), 0);
}

/// A shape that is wrong by 2 % makes both fluxes wrong by 2 %: 14 of 700 and 4 of 200.
TYPED_TEST(StarFit, FluxesInBothFramesHaveTheErrorOfTheShape) {
  constexpr double noise = 0.5;
  auto star = testing::gaussian_stars(this->backend(), shape, sigma, 1);
  std::vector<float> of_reference = star_at(50, 47), change = of_reference;
  for (float& pixel : of_reference) pixel *= 0.2F;
  for (float& pixel : change) pixel *= 0.5F;
  const auto image_of = [&](const std::vector<float>& pixels) {
    Image<float, TypeParam> image;
    image.shape = shape;
    image.pixels = this->backend().put(pixels);
    return image;
  };
  const std::vector<float> of_noise(change.size(), 0.5F);
  star.frames = {image_of(of_reference), image_of(of_noise), image_of(of_noise)};
  Settings config = asks_for_stars();
  config.output.columns = {"FLUX_NEW"};
  const auto row_of = [&](double scale_error) {
    star.sizes.scale_error = scale_error;
    const Photometry<TypeParam> measured =
        testing::photometry_of(this->backend(), change, {given_star(50, 47)}, config, {}, star.view(), noise);
    return this->backend().get(measured.template of<StarFramesFamily>().rows, 1).front();
  };
  const FramesLight known = row_of(0), unknown = row_of(0.02);
  EXPECT_NEAR(unknown.fresh, 700, 3.5);
  EXPECT_NEAR(unknown.reference, 200, 1);
  const auto more = [](double with, double without) { return std::sqrt((with - without) * noise * noise); };
  EXPECT_NEAR(more(unknown.fresh_pixels, known.fresh_pixels), 14, 0.1);
  EXPECT_NEAR(more(unknown.reference_pixels, known.reference_pixels), 4, 0.05);
}

}  // namespace
}  // namespace srcextract
