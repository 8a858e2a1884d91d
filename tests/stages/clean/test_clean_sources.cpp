#include "stages/clean/clean_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stages/measure/ellipse.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t width = 48, height = 40;

/// A star, and in its wings what hardly reaches over the threshold of 1: five pixels in a column that ends lower.
struct StarWithSpeck {
  Image<float, Cpu> image{{width, height}, Cpu{}};
  Value<Levels, Cpu> levels;
  Runs<Cpu> runs;
  Components<Cpu> components;
  Settings config;

  explicit StarWithSpeck(float speck, int speck_column = 28) {
    levels->detection = 1;
    config.deblend.clean = true;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const double r2 = std::pow(static_cast<double>(x) - 18.2, 2) + std::pow(static_cast<double>(y) - 20.1, 2);
        image.pixels[y * width + x] = static_cast<float>(500 * std::exp(-r2 / 8));
      }
    for (std::int64_t y = 24; y < 29; ++y) image.pixels[y * width + speck_column] = speck;
    runs = find_runs(image, levels, Cpu{});
    components = label_components(runs, config.detection, Cpu{});
  }

  Cleaned<Cpu> clean(std::int64_t kernel_rows = 1) const {
    const CorePixels<Cpu> no_cores;
    const Buffer<Parentage, Cpu> no_parentage;
    const Buffer<SourceSums, Cpu> sums = measure_sources(image, runs, components, levels, MaskCounts{}, Cpu{});
    return clean_sources({image, image, levels, {}}, {runs, components, runs, components, no_cores, no_parentage, sums},
                         config, kernel_rows, Cpu{2});
  }

  /// Rows of the runs that are free after the last row of both, or that are hidden.
  std::vector<std::int32_t> rows(const Cleaned<Cpu>& cleaned, bool free) const {
    std::vector<std::int32_t> rows;
    for (std::int64_t i = 0; i < runs.runs.size(); ++i)
      if (cleaned.absorbed[i] == (free ? free_from(28) : Absorbed::hidden)) rows.push_back(runs.runs[i].y);
    return rows;
  }
};

TEST(CleanSources, WhatDoesNotStandOutOfTheWingsIsAbsorbed) {
  const StarWithSpeck faint(1.01F);
  ASSERT_EQ(faint.components.counts->kept, 2);
  const Cleaned<Cpu> cleaned = faint.clean();
  ASSERT_EQ(cleaned.components.counts->kept, 1);
  EXPECT_EQ(cleaned.components.counts->found, 2);
  for (std::int64_t i = 0; i < faint.runs.runs.size(); ++i) {
    const bool of_speck = faint.runs.runs[i].begin == 28;
    EXPECT_EQ(cleaned.components.label[i], 1);
    EXPECT_EQ(cleaned.own.label[i], of_speck ? 0 : 1);
  }
  EXPECT_NEAR(cleaned.own_sums[0].xmin + centre_of(cleaned.own_sums[0]).x, 18.2, 0.01) << "it stays where it was";
  EXPECT_EQ(cleaned.parentage[0].parent, 1);
  EXPECT_EQ(cleaned.parentage[0].edge, 0);

  const Cleaned<Cpu> kept = StarWithSpeck(40.0F).clean();
  EXPECT_EQ(kept.components.counts->kept, 2);
  EXPECT_TRUE(std::ranges::all_of(kept.absorbed, [](Absorbed absorbed) { return absorbed == Absorbed::no; }));
}

TEST(CleanSources, TooLargeSourcesAreDroppedAndAbsorbNothing) {
  StarWithSpeck faint(1.01F);
  for (const bool clean : {true, false}) {
    faint.config.deblend.clean = clean;
    faint.config.detection.max_area = 5;
    const Cleaned<Cpu> cleaned = faint.clean();
    ASSERT_EQ(cleaned.components.counts->kept, 1);
    EXPECT_EQ(cleaned.components.counts->found, 2);
    EXPECT_EQ(cleaned.own_sums[0].npix, 5);
    for (std::int64_t i = 0; i < faint.runs.runs.size(); ++i) {
      const bool of_speck = faint.runs.runs[i].begin == 28;
      EXPECT_EQ(cleaned.components.label[i], of_speck ? 1 : 0);
      EXPECT_EQ(cleaned.own.label[i], of_speck ? 1 : 0);
      EXPECT_EQ(cleaned.absorbed[i], Absorbed::no);
    }
    faint.config.detection.max_area = 4;
    EXPECT_EQ(faint.clean().components.counts->kept, 0);
  }
  faint.config.detection.max_area = 1000;
  EXPECT_EQ(faint.clean().components.counts->kept, 2) << "without CLEAN";
}

TEST(CleanSources, SExtractorIsLateByHalfOfTheKernel) {
  const StarWithSpeck faint(1.01F);
  EXPECT_EQ(faint.rows(faint.clean(1), true), (std::vector<std::int32_t>{24, 25, 26, 27, 28}));
  EXPECT_EQ(faint.rows(faint.clean(3), true), (std::vector<std::int32_t>{24, 25, 26, 27}));
  EXPECT_EQ(faint.rows(faint.clean(3), false), (std::vector<std::int32_t>{28}));
  EXPECT_EQ(faint.rows(faint.clean(5), false), (std::vector<std::int32_t>{27, 28}));
}

TEST(CleanSources, TheEdgeIsOfAllThatBelongsToASource) {
  StarWithSpeck faint(0, 28);
  for (std::int64_t y = 24; y < 29; ++y) faint.image.pixels[y * width + 28] = 0;
  for (std::int64_t x = 16; x < 21; ++x) faint.image.pixels[(height - 1) * width + x] = 1.001F;
  faint.runs = find_runs(faint.image, faint.levels, Cpu{});
  faint.components = label_components(faint.runs, faint.config.detection, Cpu{});
  const Cleaned<Cpu> cleaned = faint.clean();
  ASSERT_EQ(cleaned.components.counts->kept, 1);
  EXPECT_EQ(cleaned.parentage[0].edge, 1);
}

}  // namespace
}  // namespace srcextract
