#include "stages/deblend/deblend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stages/deblend/claims.hpp"
#include "stages/deblend/island_levels.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {
namespace {

TEST(IslandLevels, RiseByEqualFactorsFromTheThresholdToThePeak) {
  for (const int count : {2, 7, 32, 256}) {
    for (const double peak : {1.5, 2.0, 1e3, 1e9}) {
      std::vector<float> level(static_cast<std::size_t>(count));
      fill_levels(1.5F, static_cast<float>(peak), count, level.data());
      for (int k = 0; k < count; ++k) {
        const double right =
            1.5 * std::pow(static_cast<double>(static_cast<float>(peak)) / 1.5, static_cast<double>(k) / count);
        ASSERT_NEAR(level[static_cast<std::size_t>(k)], right, 6e-8 * right) << count << ' ' << peak << ' ' << k;
      }
    }
  }
}

TEST(IslandLevels, APixelIsAboveAllLevelsUpToItsOwn) {
  std::vector<float> level(100);
  fill_levels(2, 50, 100, level.data());
  for (std::size_t k = 0; k + 1 < level.size(); ++k) {
    const float above = std::nextafter(level[k], 100.0F);
    EXPECT_EQ(level_of(above, level.data(), 100), k);
    EXPECT_EQ(level_of(level[k + 1], level.data(), 100), k);
  }
  EXPECT_EQ(level_of(50, level.data(), 100), 99);
}

TEST(FluxUnit, IsExactWhereSumsFit) {
  const FluxUnit unit(3.7F, 1000, 1 << 20);
  std::int64_t sum = 0;
  double right = 0;
  std::mt19937 random(2);
  std::uniform_real_distribution<float> value(3.7F, 1000);
  for (int i = 0; i < 10000; ++i) {
    const float v = value(random);
    sum += unit.count(v);
    right += static_cast<double>(v);  // exact: 24 bits from 2^9 to 2^-22, 10000 of them
  }
  EXPECT_EQ(unit.flux(sum), static_cast<float>(right));
}

TEST(FluxUnit, LeavesRoomForTheBrightest) {
  const std::int64_t pixels = std::int64_t{1} << 31;
  const FluxUnit unit(1e-30F, 3e38F, pixels);
  EXPECT_GT(unit.count(3e38F), 0);
  EXPECT_LT(static_cast<double>(unit.count(3e38F)) * static_cast<double>(pixels), 0x1p63);
}

/// The definition, core by core.
std::int32_t owner_by_definition(const std::vector<CoreShape>& cores, double x, double y) {
  std::int32_t best = -1, nearest = 0;
  double most = 0;
  for (std::int32_t i = 0; i < std::ssize(cores); ++i) {
    const CoreShape& core = cores[static_cast<std::size_t>(i)];
    const float claim = core.claim(x, y);
    if (claim < cores[static_cast<std::size_t>(nearest)].claim(x, y)) nearest = i;
    if (!(claim < 70)) continue;
    const double worth = core.ln_amplitude - static_cast<double>(claim);
    if (best >= 0 && worth <= most) continue;
    best = i;
    most = worth;
  }
  return best < 0 ? nearest : best;
}

TEST(Claims, AreThoseOfTheDefinitionHoweverManyCores) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> at(0, 300), axis(0.5, 6), amplitude(0, 12);
  for (const int count : {2, 3, 16, 17, 100, 2000}) {
    std::vector<CoreShape> cores;
    for (int i = 0; i < count; ++i) {
      const double a = axis(random), b = std::min(a, axis(random));
      const CoreShape core{at(random),      at(random), amplitude(random),  1 / (2 * a * a),
                           1 / (2 * b * b), 0,          0.999 / (2 * a * a)};
      cores.push_back(core);
      if (i % 5 == 0) cores.push_back(core);  // of equals the first
    }
    const Claims claims(cores);
    std::uniform_real_distribution<double> anywhere(-100, 400);
    std::uniform_int_distribution<std::int32_t> any(0, static_cast<std::int32_t>(cores.size()) - 1);
    for (int i = 0; i < 2000; ++i) {
      const double x = anywhere(random), y = anywhere(random);
      ASSERT_EQ(claims.owner_of(x, y, any(random)), owner_by_definition(cores, x, y))
          << count << ": " << x << ", " << y;
    }
  }
}

/// Two peaks in one row, the second on the edge of the image: 9 9 9 2 9 9 9.
struct TwoPeaks {
  Image<float, Cpu> image{{7, 1}, Cpu{}};
  Runs<Cpu> runs;
  Components<Cpu> islands;
  Settings config;

  explicit TwoPeaks(const Levels& levels) {
    std::fill(image.pixels.begin(), image.pixels.end(), 9.0F);
    image.pixels[3] = 2;
    config.deblend.method = DeblendMethod::tree;
    runs = find_runs(image, levels, Cpu{});
    islands = label_components(runs, config.detection, Cpu{});
  }
  Deblended<Cpu> divide(const Levels& levels, const Image<float, Cpu>* variance = nullptr) const {
    const Value<Levels, Cpu> given = levels;
    return deblend_sources({image, image, given, {nullptr, variance}}, runs, islands, config, Cpu{2});
  }
};

Levels levels_at(double detection, double background) {
  Levels levels;
  levels.detection = detection;
  levels.background = background;
  return levels;
}

TEST(Deblend, CutsARunWhereItsOwnerChanges) {
  const TwoPeaks peaks(levels_at(1, 0));
  const Deblended<Cpu> two = peaks.divide(levels_at(1, 0));
  ASSERT_EQ(two.components.counts->kept, 2);
  EXPECT_EQ(two.components.counts->found, 1);
  ASSERT_EQ(two.runs.runs.size(), 2);
  EXPECT_EQ(two.runs.runs[0], (srcextract::Run{0, 0, 4}));
  EXPECT_EQ(two.runs.runs[1], (srcextract::Run{0, 4, 7}));
  EXPECT_EQ(two.runs.row_begin[1], 2);
  EXPECT_EQ(two.parentage[0], (Parentage{1, 0, 1, 1, 1}));
  EXPECT_EQ(two.parentage[1], (Parentage{5, 0, 1, 1, 1}));
}

TEST(Deblend, LevelsAreCountedFromTheSky) {
  // A sky of 1.9 leaves hardly anything between the peaks; without a threshold above it there are no levels.
  EXPECT_EQ(TwoPeaks(levels_at(1.95, 1.9)).divide(levels_at(1.95, 1.9)).components.counts->kept, 2);
  const Deblended<Cpu> whole = TwoPeaks(levels_at(1, 1)).divide(levels_at(1, 1));
  ASSERT_EQ(whole.components.counts->kept, 1);
  EXPECT_EQ(whole.parentage[0], (Parentage{0, 0, 1, 0, 0}));
}

TEST(Deblend, APeakThatNoFloatHoldsAboveTheSkyLeavesItsIslandWhole) {
  TwoPeaks peaks(levels_at(1, 0));
  for (const std::int64_t x : {0, 1, 5, 6}) peaks.image.pixels[x] = 3e38F;
  EXPECT_EQ(peaks.divide(levels_at(1, -3e38)).components.counts->kept, 1);
}

TEST(Deblend, TakesMemoryByItsLargestIsland) {
  const TwoPeaks peaks(levels_at(1, 0));
  const std::int64_t of_one = deblend_memory(peaks.runs, peaks.islands, Cpu{1});
  EXPECT_GT(of_one, 7 * 17);
  EXPECT_EQ(deblend_memory(peaks.runs, peaks.islands, Cpu{4}), of_one) << "there is no other to work on";
}

TEST(Deblend, ThresholdIsTheLowestOfTheIsland) {
  Image<float, Cpu> variance({7, 1}, Cpu{});
  std::fill(variance.pixels.begin(), variance.pixels.end(), 64.0F);
  Levels levels = levels_at(1, 0);
  levels.in_noise = 1;
  // Of 8 all over there is no level between the two of the pixel between the peaks and the peaks; of 1 there is.
  TwoPeaks peaks(levels);
  peaks.config.deblend.thresholds = 2;
  peaks.config.deblend.contrast = 0.3;
  EXPECT_EQ(peaks.divide(levels, &variance).components.counts->kept, 1);
  variance.pixels[3] = 1;
  EXPECT_EQ(peaks.divide(levels, &variance).components.counts->kept, 2);
}

}  // namespace
}  // namespace srcextract
