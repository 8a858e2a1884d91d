#include "stages/sky/sky_surface.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {
namespace {

constexpr float bad = std::numeric_limits<float>::quiet_NaN();

struct Grid {
  Grid(std::int64_t width, std::int64_t height, const std::function<double(double, double)>& level)
      : shape{width, height} {
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        levels.push_back(static_cast<float>(level(static_cast<double>(x), static_cast<double>(y))));
  }

  float& at(std::int64_t x, std::int64_t y) { return levels[static_cast<std::size_t>(y * shape.width + x)]; }

  float surface(std::int64_t x, std::int64_t y) const {
    const NodeView nodes{levels.data(), levels.data(), shape.width, shape.height};
    return SurfaceAtNode(nodes, x, y).level(1);
  }

  Shape shape;
  std::vector<float> levels;
};

double bowl(double x, double y) {
  return 1000 + 3 * x - 2 * y + 0.2 * x * x - 0.1 * x * y + 0.05 * y * y;
}

TEST(SkySurface, AQuadricIsItself) {
  const Grid grid(40, 31, bowl);
  for (std::int64_t y = 0; y < 31; ++y)
    for (std::int64_t x = 0; x < 40; ++x)
      ASSERT_NEAR(grid.surface(x, y), bowl(static_cast<double>(x), static_cast<double>(y)), 1e-3) << x << " " << y;
}

// The light moves the mean of all meshes by 2, and a median of 3 x 3 meshes by some 0.5 with a scatter of 0.6.
TEST(SkySurface, NoiseAndAFifthOfTheMeshesWithLightMoveItLittle) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const Grid grid(40, 40, [&](double x, double y) {
      return bowl(x, y) + normal(random) + (uniform(random) < 0.2 ? 20 * uniform(random) : 0);
    });
    double sum = 0, squares = 0;
    for (std::int64_t y = 6; y < 34; ++y)
      for (std::int64_t x = 6; x < 34; ++x) {
        const double off =
            static_cast<double>(grid.surface(x, y)) - bowl(static_cast<double>(x), static_cast<double>(y));
        sum += off;
        squares += off * off;
      }
    EXPECT_LT(std::fabs(sum / (28 * 28)), 0.6) << seed;
    EXPECT_LT(std::sqrt(squares / (28 * 28)), 0.65) << seed;
  }
}

TEST(SkySurface, GoesOnOverAGap) {
  Grid grid(30, 30, bowl);
  for (std::int64_t y = 8; y < 17; ++y)
    for (std::int64_t x = 8; x < 17; ++x) grid.at(x, y) = bad;
  for (std::int64_t y = 8; y < 17; ++y)
    for (std::int64_t x = 8; x < 17; ++x)
      ASSERT_NEAR(grid.surface(x, y), bowl(static_cast<double>(x), static_cast<double>(y)), 1e-2) << x << " " << y;
}

TEST(SkySurface, FewMeshesGiveAPlaneALineOrAMean) {
  const auto plane = [](double x, double y) { return 5 + 2 * x - 3 * y; };
  const Grid square(4, 4, plane), row(20, 1, plane), column(1, 20, plane);
  EXPECT_NEAR(square.surface(0, 3), plane(0, 3), 1e-4);
  EXPECT_NEAR(row.surface(19, 0), plane(19, 0), 1e-4);
  EXPECT_NEAR(column.surface(0, 7), plane(0, 7), 1e-4);
  EXPECT_EQ(Grid(1, 1, plane).surface(0, 0), 5);
  Grid far(50, 40, plane);
  for (float& level : far.levels) level = bad;
  EXPECT_TRUE(std::isnan(far.surface(3, 3)));
  far.at(20, 24) = 7;
  EXPECT_EQ(far.surface(0, 0), 7);
  EXPECT_TRUE(std::isnan(far.surface(49, 39)));
}

TEST(SkySurface, AFewMeshesOfABrightGalaxyDoNotMoveIt) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Grid grid(30, 30, [&](double x, double y) { return bowl(x, y) + normal(random) / 64; });
  for (std::int64_t y = 10; y < 12; ++y)
    for (std::int64_t x = 10; x < 12; ++x) grid.at(x, y) += 1e5F;
  EXPECT_NEAR(grid.surface(15, 15), bowl(15, 15), 0.05);
}

TEST(SkySurface, BesideAStepNodesKeepTheirOwnLevel) {
  const Grid grid(40, 20, [](double x, double) { return x < 20 ? 100.0 : 102.0; });
  const NodeView nodes{grid.levels.data(), grid.levels.data(), 40, 20};
  for (std::int64_t x = 0; x < 40; ++x) {
    const float own = x < 20 ? 100.0F : 102.0F;
    const float level = on_surface({own, 1}, nodes, x, 10).level;
    EXPECT_LE(level, own + 0.3F) << x;
    EXPECT_GE(level, own - 1.0F) << x;
  }
}

TEST(SkySurface, IsNotFollowedFarIntoAGap) {
  Grid grid(60, 60, [](double x, double) { return x * x; });
  for (std::int64_t y = 0; y < 60; ++y)
    for (std::int64_t x = 7; x < 60; ++x) grid.at(x, y) = bad;
  for (std::int64_t x = 0; x < 30; ++x) {
    EXPECT_LE(grid.surface(x, 30), 72) << x;
    EXPECT_GE(grid.surface(x, 30), -36) << x;
  }
}

}  // namespace
}  // namespace srcextract
