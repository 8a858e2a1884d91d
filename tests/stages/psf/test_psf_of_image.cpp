// The parts of which the PSF of an image is made: stamps, stars, and the whole, on images that are known.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/math/splitmix64.hpp"
#include "stages/psf/make_psf.hpp"
#include "stages/psf/psf_stamps.hpp"
#include "stages/psf/psf_stars.hpp"
#include "stages/psf/psf_surface.hpp"
#include "stages/psf/star_width.hpp"

namespace srcextract {
namespace {

double random(std::int64_t i) {
  return static_cast<double>(splitmix64(i) >> 11) * 0x1p-53;
}

PsfStar star_at(double x, double y, double snr = 200, double radius = 2.5) {
  return {.x = x,
          .y = y,
          .flux = 100 * snr,
          .snr = snr,
          .radius = radius,
          .ellipticity = 0.02,
          .peak = 10 * snr,
          .flags = 0,
          .width = 1.6 * radius,
          .minor = 1.6 * radius};
}

/// Stars on a grid of 40 pixels.
std::vector<PsfStar> grid_of_stars(std::int64_t side) {
  std::vector<PsfStar> stars;
  for (double y = 30; y < static_cast<double>(side) - 25; y += 40)
    for (double x = 30; x < static_cast<double>(side) - 25; x += 40) stars.push_back(star_at(x, y));
  return stars;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(PsfWindow, SpreadsWhatItDraws) {
  for (const double width : {1.7, 4.0, 6.5}) {
    const PsfSurface surface = begin_surface({200, 150}, 1, width, 14);
    const PsfWindow window(surface, 71.37, 60.81, 13);
    std::vector<double> plane(surface.plane()), pixels(window.pixels()), drawn, spread(surface.plane(), 0);
    for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = random(static_cast<std::int64_t>(i)) - 0.5;
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = random(static_cast<std::int64_t>(i) + 99999) - 0.5;
    window.draw(plane.data(), drawn);
    window.spread(pixels, spread.data());
    const double there = dot(drawn, pixels), back = dot(plane, spread);
    EXPECT_GT(std::abs(there), 1e-3) << width;
    EXPECT_NEAR(there, back, 1e-10) << width;
  }
}

TEST(PsfSurface, FixesLightAndCentroidAtEveryPlace) {
  PsfSurface surface = begin_surface({300, 200}, 2, 4.0, 16);
  const int middle = surface.side / 2;
  for (int k = 0; k < surface.terms(); ++k)
    for (int y = 0; y < surface.side; ++y)
      for (int x = 0; x < surface.side; ++x) {
        const double u = (x - middle) * surface.step - 0.2, v = (y - middle) * surface.step + 0.1 * k;
        surface.of(k)[y * surface.side + x] = (k == 0 ? 3 : 0.2) * std::exp(-(u * u + v * v) / (5 + k));
      }
  fix_gauge(surface);
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {149.5, 99.5}, {299.0, 10.0}, {20.0, 199.0}}) {
    const std::vector<double> plane = surface.at(x, y);
    double light = 0, of_x = 0, of_y = 0;
    for (int row = 0; row < surface.side; ++row)
      for (int column = 0; column < surface.side; ++column) {
        const double u = (column - middle) * surface.step, v = (row - middle) * surface.step;
        const double value = plane[static_cast<std::size_t>(row * surface.side + column)];
        light += value * surface.step * surface.step;
        if (u * u + v * v > surface.radius * surface.radius) {
          EXPECT_EQ(value, 0);
        }
        if (u * u + v * v > surface.width * surface.width) continue;
        of_x += u * value;
        of_y += v * value;
      }
    EXPECT_NEAR(light, 1, 1e-9) << x << " " << y;
    EXPECT_NEAR(of_x, 0, 1e-3) << x << " " << y;
    EXPECT_NEAR(of_y, 0, 1e-3) << x << " " << y;
  }
}

TEST(ChooseStars, SaysWhyNot) {
  std::vector<PsfStar> stars = grid_of_stars(800);
  const std::size_t count = stars.size();
  stars.push_back(star_at(50, 50, 10));
  stars.push_back(star_at(90, 50));
  stars.back().flags = flag::saturated;
  stars.push_back(star_at(130, 50));
  stars.back().peak = 900;
  stars.push_back(star_at(3, 400));
  stars.push_back(star_at(170, 50, 200, 4.5));
  stars.push_back(star_at(210, 50));
  stars.back().ellipticity = 0.5;
  stars.push_back(star_at(250, 50));
  stars.back().flags = flag::masked_pixels;
  stars.push_back(star_at(70 + 9, 70));  // beside a star of the grid
  const StarChoice choice = choose_stars(stars, {800, 800}, 1000 * 10, 2);
  const StarVerdict expected[] = {StarVerdict::faint,   StarVerdict::saturated, StarVerdict::used,
                                  StarVerdict::at_edge, StarVerdict::size,      StarVerdict::elongated,
                                  StarVerdict::at_edge, StarVerdict::crowded};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(stars[count + i].verdict, expected[i]) << i << " " << name_of(stars[count + i].verdict);
  EXPECT_EQ(choice.degree, 2);
  EXPECT_DOUBLE_EQ(choice.radius, 2.5);
  EXPECT_EQ(choice.used, static_cast<std::size_t>(std::ranges::count(stars, StarVerdict::used, &PsfStar::verdict)));
  EXPECT_EQ(choice.used, count);  // one of the grid is crowded, and one more is used
}

TEST(ChooseStars, FollowsTheSizeOfStarsOverTheField) {
  std::vector<PsfStar> stars = grid_of_stars(1000);
  for (PsfStar& star : stars) star.width = 4 * (1 + 0.3 * (star.x / 1000 - 0.5));
  choose_stars(stars, {1000, 1000}, 0, 2);
  EXPECT_EQ(std::ranges::count(stars, StarVerdict::size, &PsfStar::verdict), 0);
}

TEST(ChooseStars, TakesTheNarrowWidthAndNotTheFullOne) {
  std::vector<PsfStar> stars = grid_of_stars(1000);
  const std::size_t count = stars.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_star = i % 9 == 0;
    stars[i].width = is_star ? 3 * (1 + 0.02 * (random(static_cast<std::int64_t>(i)) - 0.5))
                             : 3.8 * std::exp(0.75 * random(static_cast<std::int64_t>(i)));
    const double axis_ratio = is_star ? 0.98 : 0.3 + 0.7 * random(static_cast<std::int64_t>(count + i));
    stars[i].minor = stars[i].width * std::sqrt(axis_ratio);
  }
  stars[4].width = stars[4].minor = 1.5;  // a cosmic ray
  stars[5].width = stars[5].minor = 0.3;  // a hot pixel
  const StarChoice choice = choose_stars(stars, {1000, 1000}, 0, 2);
  EXPECT_NEAR(choice.width, 3, 0.03);
  EXPECT_EQ(stars[4].verdict, StarVerdict::size);
  EXPECT_EQ(stars[5].verdict, StarVerdict::sharp);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(stars[i].verdict != StarVerdict::size && stars[i].verdict != StarVerdict::sharp, i % 9 == 0) << i;
  }
}

TEST(MeasureWidth, IsThatOfGaussiansAtEveryPhase) {
  for (const double sigma : {0.6, 1.3, 3.0}) {
    for (const double phase : {0.0, 0.25, 0.5}) {
      Image<float, Cpu> image({41, 41}, Cpu{1});
      for (std::int64_t i = 0; i < image.shape.count(); ++i) {
        const std::int64_t column = i % 41, row = i / 41;
        const double u = static_cast<double>(column) - 20 - phase, v = static_cast<double>(row) - 20 + phase / 2;
        const auto along = [&](double place, double width) {
          return std::erf((place + 0.5) / (std::sqrt(2.0) * width)) -
                 std::erf((place - 0.5) / (std::sqrt(2.0) * width));
        };
        image.pixels[i] = static_cast<float>(1000 * along(u, sigma) * along(v, 1.2 * sigma));
      }
      const StarWidth found = measure_width(image, 20, 20, 1.2 * sigma);
      EXPECT_NEAR(found.minor / (2.3548 * sigma), 1, 0.06 / sigma / sigma) << sigma << " " << phase;
      EXPECT_NEAR(found.width / (2.3548 * sigma * std::sqrt(1.2)), 1, 0.06 / sigma / sigma) << sigma << " " << phase;
    }
  }
  Image<float, Cpu> image({41, 41}, Cpu{1});
  for (std::int64_t i = 0; i < image.shape.count(); ++i) image.pixels[i] = static_cast<float>(random(i));
  image.pixels[20 * 41 + 20] = 1000;
  EXPECT_LT(measure_width(image, 20, 20, 0.6).minor, 0.5);
}

TEST(ChooseStars, TakesStarsOfTheWholeField) {
  std::vector<PsfStar> stars;
  for (int i = 0; i < 1500; ++i) {  // the brightest crowd in one quarter
    const double x = 20 + 4960 * random(2 * i), y = 20 + 4960 * random(2 * i + 1);
    stars.push_back(star_at(x, y, x < 2500 && y < 2500 ? 3000 + i : 100));
  }
  const StarChoice choice = choose_stars(stars, {5000, 5000}, 0, 2);
  EXPECT_EQ(choice.used, 400U);
  const auto far = std::ranges::count_if(
      stars, [](const PsfStar& s) { return s.verdict == StarVerdict::used && s.x > 2500 && s.y > 2500; });
  EXPECT_GT(far, 60);
}

TEST(ChooseStars, LowersTheDegreeWhereStarsAreFew) {
  for (const auto& [wanted, least] : {std::pair{1, 0}, {4, 0}, {24, 1}, {47, 1}, {48, 2}}) {
    std::vector<PsfStar> stars = grid_of_stars(1000);
    stars.resize(static_cast<std::size_t>(wanted));
    const StarChoice choice = choose_stars(stars, {1000, 1000}, 0, 2);
    EXPECT_EQ(choice.used, static_cast<std::size_t>(wanted));
    EXPECT_EQ(choice.degree, least) << wanted;
  }
  std::vector<PsfStar> none;
  EXPECT_EQ(choose_stars(none, {100, 100}, 0, 2).used, 0U);
}

/// Elliptical Gaussians whose width varies: light in each pixel by its middle.
Image<float, Cpu> gaussians(const std::vector<PsfStar>& stars, const Shape& shape) {
  Image<float, Cpu> image(shape, Cpu{1});
  for (std::int64_t i = 0; i < shape.count(); ++i)
    image.pixels[i] = static_cast<float>(random(i) + random(i + 7777777) + random(i + 9999991) - 1.5);
  for (const PsfStar& star : stars) {
    const double a = 2.0 + 0.4 * star.x / static_cast<double>(shape.width), b = 1.7;
    for (std::int64_t y = 0; y < shape.height; ++y)
      for (std::int64_t x = 0; x < shape.width; ++x) {
        const double u = static_cast<double>(x) - star.x, v = static_cast<double>(y) - star.y;
        if (std::abs(u) < 20 && std::abs(v) < 20)
          image.pixels[y * shape.width + x] += static_cast<float>(star.flux / (2 * 3.14159265358979 * a * b) *
                                                                  std::exp(-u * u / (2 * a * a) - v * v / (2 * b * b)));
      }
  }
  return image;
}

/// A hole that is taken for a star has no light to divide by.
TEST(MakePsf, IsMadeBesideASourceWithoutLight) {
  const Shape shape{400, 400};
  std::vector<PsfStar> stars = grid_of_stars(shape.width);
  Image<float, Cpu> image = gaussians(stars, shape);
  const PsfStar hole = stars[stars.size() / 2];
  for (auto y = static_cast<std::int64_t>(hole.y) - 12; y <= static_cast<std::int64_t>(hole.y) + 12; ++y)
    for (auto x = static_cast<std::int64_t>(hole.x) - 12; x <= static_cast<std::int64_t>(hole.x) + 12; ++x)
      image.pixels[y * shape.width + x] -= 2 * std::abs(image.pixels[y * shape.width + x]);
  const MadePsf made = make_psf({image, nullptr, 0.25, 0, 0}, stars, 0, Cpu{1});
  ASSERT_EQ(made.problem, "");
  EXPECT_TRUE(std::isfinite(made.surface.width));
}

TEST(MakePsf, FindsAPsfThatNoMoffatProfileIs) {
  const Shape shape{500, 500};
  std::vector<PsfStar> stars = grid_of_stars(shape.width);
  for (std::size_t i = 0; i < stars.size(); ++i) {
    stars[i].x += random(static_cast<std::int64_t>(3 * i)) - 0.5;
    stars[i].y += random(static_cast<std::int64_t>(3 * i) + 1) - 0.5;
    stars[i].radius = 2.2;
  }
  const Image<float, Cpu> image = gaussians(stars, shape);
  std::vector<MadePsf> made;
  for (const int threads : {1, 3}) {
    std::vector<PsfStar> own = stars;
    made.push_back(make_psf({image, nullptr, 0.25, 0, 0}, own, 2, Cpu{threads}));
    ASSERT_EQ(made.back().problem, "");
  }
  EXPECT_EQ(made[0].table.columns, made[1].table.columns);
  const PsfSurface& surface = made[0].surface;
  for (const double place : {60.0, 250.0, 440.0}) {
    const std::vector<double> plane = surface.at(place, place);
    const double a = 2.0 + 0.4 * place / static_cast<double>(shape.width), b = 1.7;
    const double peak = 1 / (2 * 3.14159265358979 * a * b);
    const int middle = surface.side / 2;
    for (int i = 0; i < surface.side; ++i)
      for (int j = 0; j < surface.side; ++j) {
        const double u = (j - middle) * surface.step, v = (i - middle) * surface.step;
        EXPECT_NEAR(plane[static_cast<std::size_t>(i * surface.side + j)] / peak,
                    std::exp(-u * u / (2 * a * a) - v * v / (2 * b * b)), 0.004)
            << place << " " << u << " " << v;
      }
  }
}

}  // namespace
}  // namespace srcextract
