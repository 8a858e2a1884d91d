#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "stages/photometry/circle_overlap.hpp"

namespace srcextract {
namespace {

/// A circle and where its middle is, to a fraction of a pixel.
struct Circle {
  double x, y;
  float radius;
};

/// How much of a pixel is in a circle as SExtractor has it: one sub-pixel after the other, in float.
float overlap_by_definition(float dx, float dy, float radius, int side) {
  const float distance = dx * dx + dy * dy, outer = radius + 0.75F, inner = radius > 0.75F ? radius - 0.75F : 0;
  if (!(distance < outer * outer)) return 0;
  if (distance <= inner * inner) return 1;
  const float step = 1.0F / static_cast<float>(side), first = 0.5F * (step - 1);
  int inside = 0;
  float v = dy + first;
  for (int j = 0; j < side; ++j, v += step) {
    float u = dx + first;
    for (int k = 0; k < side; ++k, u += step) inside += u * u + v * v < radius * radius ? 1 : 0;
  }
  return static_cast<float>(inside) * (step * step);
}

/// Compares all pixels of the circle's rows, and counts those that it crosses.
template <int Side, int Width>
void compare_overlaps(const Circle& circle, std::int64_t& crossed) {
  const int reach = static_cast<int>(circle.radius) + 3;
  for (int y = -reach; y <= reach; ++y) {
    const auto dy = static_cast<float>(y - circle.y);
    for (int x = -reach; x <= reach; x += Width) {
      float dx[Width], down[Width], part[Width];
      for (float& one : down) one = dy;
      for (int i = 0; i < Width; ++i) dx[i] = static_cast<float>(x + i - circle.x);
      CircleOverlap<Side>(circle.radius).parts(dx, down, part);
      for (int i = 0; i < Width; ++i) {
        const float expected = overlap_by_definition(dx[i], dy, circle.radius, Side);
        ASSERT_EQ(part[i], expected) << "pixel " << x + i << ", " << y << ", radius " << circle.radius << " about "
                                     << circle.x << ", " << circle.y;
        crossed += expected > 0 && expected < 1 ? 1 : 0;
      }
    }
  }
}

/// As the families have them: of blocks on the host, of single pixels on a device.
std::int64_t compare_all_overlaps(const Circle& circle) {
  std::int64_t crossed = 0;
  compare_overlaps<5, 16>(circle, crossed);
  compare_overlaps<11, 16>(circle, crossed);
  compare_overlaps<5, 1>(circle, crossed);
  compare_overlaps<11, 1>(circle, crossed);
  return crossed;
}

TEST(SubPixels, AreCountedAsOneByOne) {
  std::mt19937_64 generator(17);
  std::uniform_real_distribution<double> place(0, 1), exponent(std::log(0.2), std::log(60.0));
  std::int64_t crossed = 0;
  for (int n = 0; n < 400 && !HasFatalFailure(); ++n)
    crossed +=
        compare_all_overlaps({place(generator), place(generator), static_cast<float>(std::exp(exponent(generator)))});
  EXPECT_GT(crossed, 100000);
}

/// Centres of sub-pixels that are on the circle but for rounding, and circles that are tangent to their rows.
TEST(SubPixels, OnTheCircleAreCountedAsOneByOne) {
  std::int64_t crossed = 0;
  for (const double parts : {5.0, 10.0, 11.0, 22.0})
    for (int of_x = 0; of_x <= 4; ++of_x)
      for (int of_y = 0; of_y <= of_x; ++of_y)
        for (int of_radius = 1; of_radius < 150; of_radius += 6)
          crossed += compare_all_overlaps({of_x / parts, of_y / parts, static_cast<float>(of_radius / parts)});
  EXPECT_GT(crossed, 100000);
}

TEST(SubPixels, OfNoCircleAreNone) {
  float part[1];
  CircleOverlap<5>(0).parts({0.1F}, {0.2F}, part);
  EXPECT_EQ(part[0], 0);
}

}  // namespace
}  // namespace srcextract
