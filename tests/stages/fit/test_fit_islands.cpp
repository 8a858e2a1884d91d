#include "stages/fit/fit_islands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/radio_maps.hpp"

namespace srcextract {
namespace {

const PixelBeam beam{5.2, 3.8, 2.0};

/// The row nearest to a place; its distance must be below a pixel.
const ComponentRow& row_at(const std::vector<ComponentRow>& rows, double x, double y) {
  const auto distance = [&](const ComponentRow& row) { return std::hypot(row.x - x, row.y - y); };
  const auto nearest = std::ranges::min_element(rows, {}, distance);
  EXPECT_LT(distance(*nearest), 1) << x << " " << y;
  return *nearest;
}

double major_of(const ComponentRow& row) {
  return std::sqrt(8 * std::log(2.0) * row.shape.axis(1));
}

void expect_found(const std::vector<MapGaussian>& all, const FittedIslands& found, double tolerance) {
  ASSERT_EQ(found.gaussians.size(), all.size());
  for (const MapGaussian& g : all) {
    const ComponentRow& row = row_at(found.gaussians, g.x, g.y);
    EXPECT_NEAR(row.peak / g.peak, 1, tolerance);
    EXPECT_NEAR(row.total / (g.peak * g.major * g.minor / (beam.major * beam.minor)), 1, tolerance);
    EXPECT_NEAR(row.x, g.x, tolerance);
    EXPECT_NEAR(row.y, g.y, tolerance);
    EXPECT_NEAR(major_of(row) / g.major, 1, tolerance);
    const double angle = std::atan2(2 * row.shape.xy, row.shape.xx - row.shape.yy) / 2;
    EXPECT_NEAR(std::sin(2 * (angle - g.angle)), 0, 10 * tolerance);
    EXPECT_EQ(row.flags, 0);
  }
}

TEST(FitIslands, FindsGaussiansWithoutNoise) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 20; ++trial) {
    const double grown = 1 + 2 * uniform(random);
    const MapGaussian one{20 + 500 * uniform(random),
                          40 + uniform(random),
                          40 + uniform(random),
                          grown * beam.major,
                          std::max(beam.minor, grown * beam.major * (0.4 + 0.5 * uniform(random))),
                          std::numbers::pi * uniform(random)};
    Image<float, Cpu> image = empty_map(81);
    add_gaussians({one}, image);
    expect_found({one}, islands_of(std::move(image), beam).fitted(), 1e-4);
  }
}

TEST(FitIslands, PartsNeighboursThatShareAnIsland) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 20; ++trial) {
    const double along = std::numbers::pi * uniform(random), apart = (1.5 + uniform(random)) * beam.major;
    const MapGaussian first{60, 40, 40, beam.major, beam.minor, beam.angle};
    const MapGaussian second{60 * (0.4 + 0.6 * uniform(random)),
                             40 + apart * std::cos(along),
                             40 + apart * std::sin(along),
                             1.2 * beam.major,
                             1.1 * beam.minor,
                             beam.angle};
    Image<float, Cpu> image = empty_map(81);
    add_gaussians({first, second}, image);
    expect_found({first, second}, islands_of(std::move(image), beam).fitted(), 1e-3);
  }
}

TEST(FitIslands, DoNotDivideAPointOfAnElongatedBeam) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  for (const double major : {9.0, 12.0, 15.0, 20.0})
    for (int trial = 0; trial < 40; ++trial) {
      const PixelBeam narrow{major, 3, std::numbers::pi * uniform(random)};
      const MapGaussian one{20 + 200 * uniform(random),
                            40 + uniform(random),
                            40 + uniform(random),
                            narrow.major,
                            narrow.minor,
                            narrow.angle};
      Image<float, Cpu> image = empty_map(81);
      add_gaussians({one}, image);
      const FittedIslands found = islands_of(std::move(image), narrow).fitted();
      ASSERT_EQ(found.gaussians.size(), 1U) << major << " " << narrow.angle;
      EXPECT_NEAR(found.gaussians[0].total / one.peak, 1, 1e-3) << major << " " << narrow.angle;
      EXPECT_EQ(found.gaussians[0].flags, 0);
    }
}

/// Pulls: differences from the truth in units of the errors.
struct Pulls {
  std::vector<double> peak, total, x, y, major;

  void add(const ComponentRow& row, const MapGaussian& truth) {
    const auto error = [&](FittedValue of) { return std::sqrt(row.covariance[of][of]); };
    const double of_total = truth.peak * truth.major * truth.minor / (beam.major * beam.minor);
    peak.push_back((row.peak - truth.peak) / error(of_peak_flux));
    total.push_back((row.total - of_total) / error(of_total_flux));
    x.push_back((row.x - truth.x) / error(of_x));
    y.push_back((row.y - truth.y) / error(of_y));
    // The variance along the true major axis is linear in the fitted shape.
    const double c = std::cos(truth.angle), s = std::sin(truth.angle);
    const double by[] = {c * c, 2 * c * s, s * s}, shape[] = {row.shape.xx, row.shape.xy, row.shape.yy};
    double along = -truth.major * truth.major / (8 * std::log(2.0)), variance = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      along += by[i] * shape[i];
      for (std::size_t k = 0; k < 3; ++k) variance += by[i] * by[k] * row.covariance[of_xx + i][of_xx + k];
    }
    major.push_back(along / std::sqrt(variance));
  }
};

/// Half the distance of the 16th and 84th percentile.
double width_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size()))];
  };
  return (at(0.84) - at(0.16)) / 2;
}

/// Sources on a grid in a map of correlated noise, a little off the centres of pixels.
std::vector<MapGaussian> sources_on_grid(std::int64_t side, double peak, double grown, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> offset(-0.5, 0.5);
  std::vector<MapGaussian> sources;
  for (double y = 20; y < static_cast<double>(side) - 20; y += 34)
    for (double x = 20; x < static_cast<double>(side) - 20; x += 34)
      sources.push_back(
          {peak, x + offset(random), y + offset(random), grown * beam.major, grown * beam.minor, beam.angle});
  return sources;
}

class ErrorsOfFits : public ::testing::TestWithParam<bool> {};

TEST_P(ErrorsOfFits, AreTheScatterInCorrelatedNoise) {
  constexpr std::int64_t side = 600;
  for (const double grown : {1.0, 1.8}) {
    Pulls pulls;
    for (const unsigned seed : {1U, 2U, 3U}) {
      Image<float, Cpu> image = correlated_noise({side, side}, beam, GetParam(), seed);
      const std::vector<MapGaussian> sources = sources_on_grid(side, 20, grown, seed);
      add_gaussians(sources, image);
      const FittedIslands found = islands_of(std::move(image), beam).fitted();
      EXPECT_NEAR(found.noise_area, GetParam() ? 1 : 2, GetParam() ? 0.05 : 0.1);
      for (const MapGaussian& source : sources) pulls.add(row_at(found.sources, source.x, source.y), source);
    }
    ASSERT_GT(pulls.peak.size(), 700U);
    // The width of 800 pulls is uncertain by 3 %.
    for (const auto& [name, of] : {std::pair("peak", pulls.peak), std::pair("total", pulls.total),
                                   std::pair("x", pulls.x), std::pair("y", pulls.y), std::pair("major", pulls.major)}) {
      EXPECT_NEAR(width_of(of), 1, 0.1) << name << " " << grown;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BothNoises, ErrorsOfFits, ::testing::Bool());

/// A hard map: noise, doubles, a blob, a cross of one bright row and column, masked pixels, and the edges.
MapIslands hard_islands() {
  constexpr std::int64_t side = 300;
  Image<float, Cpu> image = correlated_noise({side, side}, beam, false, 7);
  std::vector<MapGaussian> sources = sources_on_grid(side, 9, 1, 4);
  sources.push_back({30, 150, 150, 40, 25, 0.5});
  sources.push_back({50, 0, 60, beam.major, beam.minor, beam.angle});
  sources.push_back({50, 200, 299, beam.major, beam.minor, beam.angle});
  add_gaussians(sources, image);
  for (std::int64_t i = 30; i < 120; ++i) {
    image.pixels[70 * side + i] += 40;
    image.pixels[i * side + 70] += 40;
  }
  for (std::int64_t i = 0; i < side; ++i) image.pixels[i * side + 220] = std::numeric_limits<float>::quiet_NaN();
  return islands_of(std::move(image), beam);
}

TEST(FitIslands, LeavesNoIslandOut) {
  MapIslands islands = hard_islands();
  for (const std::int64_t large : {20000, 40}) {
    islands.settings.fit.large = large;
    const FittedIslands found = islands.fitted();
    std::vector<std::int32_t> numbers;
    for (const ComponentRow& row : found.sources) {
      if (numbers.empty() || numbers.back() != row.island) numbers.push_back(row.island);
      EXPECT_TRUE(std::isfinite(row.total) && std::isfinite(row.x) && std::isfinite(row.covariance[of_x][of_x]));
    }
    ASSERT_EQ(std::ssize(numbers), islands.components.counts->kept);
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<std::int32_t>(i + 1));
    for (const ComponentRow& row : found.gaussians)
      EXPECT_EQ(found.sources[static_cast<std::size_t>(row.source - 1)].island, row.island);
    const auto of_moments = std::ranges::count_if(
        found.sources, [](const ComponentRow& row) { return (row.flags & fit_flag::moments) != 0; });
    if (large == 40) {
      EXPECT_GT(of_moments, 1);
    }
  }
}

/// The first run of every island.
std::vector<Run> first_runs(const MapIslands& islands) {
  std::vector<Run> first;
  for (std::int64_t i = 0; i < std::ssize(islands.runs.runs); ++i)
    if (islands.components.label[i] > std::ssize(first)) first.push_back(islands.runs.runs[i]);
  return first;
}

TEST(FitIslands, OfAnotherImageAreWhereTheyWereFound) {
  constexpr std::int64_t side = 300;
  Image<float, Cpu> image = empty_map(side);
  add_gaussians(sources_on_grid(side, 50, 1, 4), image);
  MapIslands islands = islands_of(std::move(image), beam);
  const auto first = first_runs(islands);
  islands.image = correlated_noise({side, side}, beam, false, 3);
  for (const auto& [y, begin, end] : first)
    islands.image.pixels[y * side + begin] = std::numeric_limits<float>::quiet_NaN();
  const FittedIslands found = islands.fitted();
  ASSERT_GE(found.sources.size(), first.size());
  ASSERT_GT(first.size(), 50U);
  std::int64_t unfitted = 0;
  for (const ComponentRow& row : found.sources) {
    const auto& [y, begin, end] = first[static_cast<std::size_t>(row.island - 1)];
    EXPECT_TRUE(std::isfinite(row.total));
    if ((row.flags & fit_flag::moments) == 0) continue;
    ++unfitted;
    EXPECT_LT(std::hypot(row.x - begin, row.y - y), 3 * beam.major);
  }
  EXPECT_GT(unfitted, 20);
}

TEST(FitIslands, DoNotDivideAPointAroundAMaskedPixel) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 40; ++trial) {
    const MapGaussian one{1000, 40 + uniform(random), 40 + uniform(random), beam.major, beam.minor, beam.angle};
    Image<float, Cpu> image = empty_map(81);
    add_gaussians({one}, image);
    const auto x = static_cast<std::int64_t>(39 + 3 * uniform(random));
    const std::int64_t y = 39 + trial % 4;
    image.pixels[y * 81 + x] = std::numeric_limits<float>::quiet_NaN();
    const FittedIslands found = islands_of(std::move(image), beam).fitted();
    ASSERT_EQ(found.gaussians.size(), 1U) << x << " " << y;
    EXPECT_NEAR(found.gaussians[0].total / one.peak, 1, 1e-3);
    EXPECT_EQ(found.gaussians[0].flags, fit_flag::at_edge);
  }
}

TEST(FitIslands, OfMaskedPixelsAloneHaveAPlace) {
  constexpr std::int64_t side = 81;
  Image<float, Cpu> image = empty_map(side);
  add_gaussians({{50, 40, 30, beam.major, beam.minor, beam.angle}}, image);
  MapIslands islands = islands_of(std::move(image), beam);
  std::fill(islands.image.pixels.begin(), islands.image.pixels.end(), std::numeric_limits<float>::quiet_NaN());
  const FittedIslands found = islands.fitted();
  ASSERT_EQ(found.sources.size(), 1U);
  EXPECT_EQ(found.sources[0].flags & fit_flag::moments, fit_flag::moments);
  EXPECT_TRUE(std::isnan(found.sources[0].total));
  EXPECT_NEAR(found.sources[0].x, 40, 0.5);
  EXPECT_NEAR(found.sources[0].y, 30, 0.5);
}

/// Masks the pixels left of a slanted line through (x, y), which makes a ragged edge.
void mask_beside(double x, double y, double slope, Image<float, Cpu>& image) {
  for (std::int64_t row = 0; row < image.shape.height; ++row)
    for (std::int64_t column = 0; column < image.shape.width; ++column)
      if (static_cast<double>(column) < x + slope * (static_cast<double>(row) - y))
        image.pixels[row * image.shape.width + column] = std::numeric_limits<float>::quiet_NaN();
}

TEST(FitIslands, KeepCentresOnPixelsAndKnowTheTotalsOfSourcesThatTheEdgeCuts) {
  constexpr std::int64_t side = 121;
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> close;
  for (unsigned trial = 0; trial < 60; ++trial) {
    const MapGaussian one{20 * std::pow(100, uniform(random)),
                          60 + uniform(random),
                          60 + uniform(random),
                          beam.major,
                          beam.minor,
                          beam.angle};
    Image<float, Cpu> image = correlated_noise({side, side}, beam, false, trial);
    add_gaussians({one}, image);
    // The edge is from two pixels on this side of the centre to three beyond.
    mask_beside(one.x + 5 * uniform(random) - 3, one.y, uniform(random) - 0.5, image);
    const MapIslands islands = islands_of(std::move(image), beam);
    const FittedIslands found = islands.fitted();
    for (const std::vector<ComponentRow>* rows : {&found.gaussians, &found.sources})
      for (const ComponentRow& row : *rows)
        EXPECT_TRUE(std::isfinite(islands.image.pixels[std::lround(row.y) * side + std::lround(row.x)])) << trial;
    double total = 0, variance = 0;
    for (const ComponentRow& row : found.sources) {
      if (std::hypot(row.x - one.x, row.y - one.y) > 8) continue;
      total += row.total;
      variance += row.covariance[of_total_flux][of_total_flux];
    }
    EXPECT_LT(std::fabs(total - one.peak) / std::sqrt(variance), 6) << trial << " " << total << " " << one.peak;
    close.push_back(std::fabs(total / one.peak - 1));
  }
  std::ranges::sort(close);
  EXPECT_LT(close[close.size() / 2], 0.05);
}

TEST(FitIslands, TellWhereGaussiansAreAboveTheMap) {
  constexpr std::int64_t side = 121;
  int above = 0;
  for (unsigned trial = 0; trial < 30; ++trial) {
    Image<float, Cpu> image = correlated_noise({side, side}, beam, false, trial);
    // Blocks and corners, which are no Gaussians.
    const std::int64_t width = 3 + trial % 8, height = 3 + trial % 7;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < (y < 2 ? 2 * width : width); ++x) image.pixels[(55 + y) * side + 50 + x] += 60;
    const MapIslands islands = islands_of(std::move(image), beam);
    const FittedIslands found = islands.fitted();
    for (std::int64_t y = 0; y < side; ++y)
      for (std::int64_t x = 0; x < side; ++x) {
        double model = 0, most = 0;
        const ComponentRow* brightest = nullptr;
        for (const ComponentRow& row : found.gaussians) {
          const GaussianShape& of = row.shape;
          const double dx = static_cast<double>(x) - row.x, dy = static_cast<double>(y) - row.y;
          const double value =
              row.peak * std::exp(-(of.yy * dx * dx - 2 * of.xy * dx * dy + of.xx * dy * dy) / (2 * of.determinant()));
          model += value;
          if (value > most) brightest = &row;
          most = std::max(most, value);
        }
        if (model - std::max(static_cast<double>(islands.image.pixels[y * side + x]), 0.0) < 5.1) continue;
        ++above;
        EXPECT_TRUE(brightest->flags & fit_flag::above_map) << trial << " " << x << " " << y;
      }
  }
  EXPECT_GT(above, 0);
}

TEST(FitIslands, EnlargeErrorsWhereTheResidualIsLouderThanTheNoise) {
  constexpr std::int64_t side = 600;
  constexpr double loud = 1.7;
  std::vector<double> pulls[2];
  std::int64_t flagged[2] = {};
  for (const unsigned seed : {1U, 2U, 3U}) {
    Image<float, Cpu> image = correlated_noise({side, side}, beam, true, seed);
    for (std::int64_t i = 0; i < image.pixels.size(); ++i)
      if (i % side > side / 2) image.pixels[i] *= static_cast<float>(loud);
    const std::vector<MapGaussian> sources = sources_on_grid(side, 40, 1, seed);
    add_gaussians(sources, image);
    const FittedIslands found = islands_of(std::move(image), beam).fitted();
    for (const MapGaussian& source : sources) {
      if (std::fabs(source.x - side / 2.0) < 20) continue;
      const auto distance = [&](const ComponentRow& one) { return std::hypot(one.x - source.x, one.y - source.y); };
      const ComponentRow& row = *std::ranges::min_element(found.sources, {}, distance);
      if (distance(row) > 1) continue;  // joined with a peak of the noise
      const std::size_t half = source.x > side / 2.0 ? 1 : 0;
      pulls[half].push_back((row.total - source.peak) / std::sqrt(row.covariance[of_total_flux][of_total_flux]));
      flagged[half] += (row.flags & fit_flag::loud) != 0 ? 1 : 0;
    }
  }
  const auto part = [&](std::size_t half) {
    return static_cast<double>(flagged[half]) / static_cast<double>(pulls[half].size());
  };
  EXPECT_LT(part(0), 0.03);
  EXPECT_GT(part(1), 0.97);
  ASSERT_GT(pulls[1].size(), 350U);
  EXPECT_NEAR(width_of(pulls[0]), 1, 0.12);
  // Without the residual it is 1.7. Where noise exceeds the threshold it has Gaussians of its own, and the rest is
  // quieter.
  EXPECT_NEAR(width_of(pulls[1]), 1, 0.25);
}

TEST(FitIslands, DoesNotDependOnThreads) {
  const MapIslands islands = hard_islands();
  const FittedIslands one = islands.fitted(Cpu{1}), three = islands.fitted(Cpu{3});
  EXPECT_EQ(one.noise_area, three.noise_area);
  ASSERT_EQ(one.gaussians.size(), three.gaussians.size());
  for (std::size_t i = 0; i < one.gaussians.size(); ++i) {
    EXPECT_EQ(one.gaussians[i].peak, three.gaussians[i].peak);
    EXPECT_EQ(one.gaussians[i].covariance, three.gaussians[i].covariance);
  }
}

TEST(FitIslands, HasTheFluxOfLargeSources) {
  constexpr std::int64_t side = 200;
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const MapGaussian blob{15, 100, 100, 42, 30, 0.7};
    Image<float, Cpu> image = correlated_noise({side, side}, beam, false, seed);
    add_gaussians({blob}, image);
    double total = 0;
    for (const ComponentRow& row : islands_of(std::move(image), beam).fitted().sources)
      if (std::hypot(row.x - 100, row.y - 100) < 30) total += row.total;
    EXPECT_NEAR(total / (blob.peak * blob.major * blob.minor / (beam.major * beam.minor)), 1, 0.12) << seed;
  }
}

}  // namespace
}  // namespace srcextract
