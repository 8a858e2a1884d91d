#include "stages/photometry/exact_overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

/// The area of the disc about (0, 0) that is in a pixel, by the integral over x of how much of its column is within,
/// between the places where that changes its form, by the antiderivative in long double.
long double area_by_columns(long double dx, long double dy, long double r) {
  const long double x0 = dx - 0.5L, x1 = dx + 0.5L, y0 = dy - 0.5L, y1 = dy + 0.5L;
  std::vector<long double> places = {x0, x1};
  const auto add = [&](long double x) {
    if (x > x0 && x < x1) places.push_back(x);
  };
  for (const long double y : {y0, y1}) {
    if (std::abs(y) >= r) continue;
    add(std::sqrt((r - y) * (r + y)));
    add(-std::sqrt((r - y) * (r + y)));
  }
  add(0);
  add(r);
  add(-r);
  std::sort(places.begin(), places.end());
  const auto half_chord = [r](long double x) { return std::abs(x) < r ? std::sqrt((r - x) * (r + x)) : 0.0L; };
  const auto integral = [&](long double x) {
    const long double in = std::clamp(x, -r, r);
    return (in * half_chord(in) + r * r * std::atan2(in, half_chord(in))) / 2;
  };
  long double area = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const long double a = places[i - 1], b = places[i], h = half_chord((a + b) / 2);
    if (std::abs((a + b) / 2) >= r || h <= y0 || -h >= y1) continue;
    const long double arc = integral(b) - integral(a);
    area += (h < y1 ? arc : y1 * (b - a)) - (-h > y0 ? -arc : y0 * (b - a));
  }
  return area;
}

/// What long double leaves of an area, which is a difference of two as large as the disc.
double doubt(double r) {
  return 4e-15 + 1e-18 * r * r + 4e-16 * r;
}

TEST(ExactOverlap, IsTheIntegralOverColumns) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(std::log(0.01), std::log(5000.0)), angle(0, 2 * std::numbers::pi),
      off(-0.8, 0.8);
  const int turns = testing::sanitized ? 5000 : 200'000;
  int crossed = 0;
  for (int i = 0; i < turns; ++i) {
    const double r = std::exp(exponent(random)), direction = angle(random), at = r + off(random);
    const double dx = at * std::cos(direction), dy = at * std::sin(direction);
    const double area = exact_overlap(dx, dy, r);
    ASSERT_NEAR(area, static_cast<double>(area_by_columns(dx, dy, r)), doubt(r)) << dx << " " << dy << " " << r;
    crossed += area > 0 && area < 1 ? 1 : 0;
  }
  EXPECT_GT(crossed, turns / 3);
}

/// Places and radii at which edges, corners and circles meet.
TEST(ExactOverlap, IsRightWhereCirclesTouch) {
  constexpr int parts = 8;
  for (int of_radius = 1; of_radius <= 3 * parts; ++of_radius) {
    for (int of_x = -4 * parts; of_x <= 4 * parts; ++of_x) {
      for (int of_y = -4 * parts; of_y <= 4 * parts; ++of_y) {
        const double x = 1.0 * of_x / parts, y = 1.0 * of_y / parts, r = 1.0 * of_radius / parts;
        ASSERT_NEAR(exact_overlap(x, y, r), static_cast<double>(area_by_columns(x, y, r)), 2e-15)
            << x << " " << y << " " << r;
      }
    }
  }
  EXPECT_EQ(exact_overlap(3, 0, 2.5), 0) << "a circle that touches an edge";
  EXPECT_EQ(exact_overlap(0, 0, std::sqrt(0.5) * (1 + 1e-15)), 1) << "corners on the circle";
  EXPECT_NEAR(exact_overlap(0, 0, 0.5), std::numbers::pi / 4, 1e-15) << "the circle in a pixel";
  EXPECT_NEAR(exact_overlap(0.1, -0.2, 0.25), std::numbers::pi / 16, 1e-16);
}

/// Of all pixels of a circle together; alike for a lane of a device and a vector of a host.
TEST(ExactOverlap, AllPixelsTogetherHaveTheAreaOfTheCircle) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> place(-0.5, 0.5);
  const std::vector<double> radii = {
      0.01, 0.3, 0.49, 0.5, 0.51, 0.7, 0.71, 1, 2.5, 7.3, 31.7, 400.2, testing::sanitized ? 500.0 : 5000.0};
  for (const double r : radii) {
    const double x = place(random), y = place(random);
    const auto reach = static_cast<std::int32_t>(r) + 2;
    double area = 0;
    for (std::int32_t v = -reach; v <= reach; ++v) {
      for (std::int32_t u = -reach; u <= reach; u += 16) {
        double dx[16], part[16];
        for (int i = 0; i < 16; ++i) dx[i] = u + i - x;
        exact_overlaps<16>(dx, v - y, r, part);
        for (int i = 0; i < 16; ++i) {
          double alone[1];
          exact_overlaps<1>({dx[i]}, v - y, r, alone);
          ASSERT_EQ(part[i], alone[0]) << r << " " << dx[i] << " " << v - y;
          area += part[i];
        }
      }
    }
    const double want = std::numbers::pi * r * r;
    EXPECT_NEAR(area, want, 1e-12 * want) << r;
  }
}

}  // namespace
}  // namespace srcextract
