// The fit of a crowd: stamps against the profile that they are of, equations against slow sums and elimination.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_equations.hpp"
#include "stages/crowd/find_stars.hpp"
#include "stages/crowd/fit_crowd.hpp"
#include "stages/crowd/inject_stars.hpp"
#include "stages/crowd/noise_cells.hpp"
#include "tests/support/crowd_scene.hpp"

namespace srcextract::crowd_tests {
namespace {

using testing::moffat;
using Scene = testing::CrowdScene;

constexpr std::int64_t width = Scene::width, height = Scene::height;
constexpr double sky_level = Scene::sky_level;

const std::vector<double>& model_numbers() {
  static const std::vector<double> numbers = testing::crowd_psf_numbers(81, 0.5, {Scene::star()});
  return numbers;
}

TEST(CrowdStamps, AreTheProfileAndItsDerivatives) {
  const CrowdPsf psf(PsfModel(model_numbers().data()), width / 2.0, height / 2.0);
  const auto shape = moffat(3.1, 1.2, 0.7);
  const double peak = shape(0, 0);
  CrowdPsf::Scratch scratch;
  for (const auto& [x, y] : {std::pair(30.0, 20.0), std::pair(30.31, 19.6), std::pair(29.501, 20.499)}) {
    std::vector<float> numbers(static_cast<std::size_t>(3 * CrowdPsf::numbers_for(12)));
    const CrowdStamp stamp = psf.draw(x, y, 12, true, numbers.data(), scratch);
    EXPECT_EQ(stamp.x, 30);
    EXPECT_EQ(stamp.y, 20);
    for (int j = 0; j < stamp.side(); ++j) {
      for (int i = 0; i < stamp.side(); ++i) {
        const double u = stamp.x - 12 + i - x, v = stamp.y - 12 + j - y, e = 1e-3;
        const auto plane = [&](int which) {
          return static_cast<double>(stamp.numbers[which * stamp.plane() + j * stamp.stride + i]);
        };
        ASSERT_NEAR(plane(0), shape(u, v), 1e-4 * peak) << u << " " << v;
        ASSERT_NEAR(plane(1), (shape(u - e, v) - shape(u + e, v)) / (2 * e), 1e-3 * peak) << u << " " << v;
        ASSERT_NEAR(plane(2), (shape(u, v - e) - shape(u, v + e)) / (2 * e), 1e-3 * peak) << u << " " << v;
      }
    }
    for (int j = 0; j < stamp.side(); ++j)
      for (int i = stamp.side(); i < stamp.stride; ++i)
        EXPECT_EQ(stamp.numbers[j * stamp.stride + i], 0) << "sums read beyond the row";
  }
  EXPECT_EQ(psf.half_for(0, 1), static_cast<int>(std::ceil(3 * psf.fwhm())));
  const int half = psf.half_for(1e6, 1);
  EXPECT_LT(1e6 * shape(half + 1, half + 1), 1);
  EXPECT_GT(half, psf.half_for(1e4, 1));
}

TEST(SkyNodes, AreLinearBetweenTheCorners) {
  SkyNodes sky({width, height}, 50);
  EXPECT_EQ(sky.columns, 3);
  EXPECT_EQ(sky.rows, 3);
  for (std::int32_t row = 0; row < 3; ++row)
    for (std::int32_t column = 0; column < 3; ++column)
      sky.level[static_cast<std::size_t>(sky.node(column, row))] = 3 + 2 * column - row;
  for (const double x : {0.0, 17.0, 59.0, 60.0, 119.0})
    for (const double y : {0.0, 44.0, 45.0, 89.0})
      EXPECT_NEAR(sky.at(x, y), 3 + 2 * (x + 0.5) / 60 - (y + 0.5) / 45, 1e-12);
  EXPECT_EQ(sky.first_x(1), 60);
  EXPECT_EQ(sky.first_x(2), 120);
}

/// All columns of the equations, as images.
std::vector<std::vector<double>> columns_of(const CrowdField& field) {
  std::vector<std::vector<double>> all;
  for (const CrowdStamp& stamp : field.stamps()) {
    for (int plane = 0; plane < 3; ++plane) {
      std::vector<double>& column = all.emplace_back(width * height);
      for (std::int64_t j = 0; j < stamp.side(); ++j) {
        for (std::int64_t i = 0; i < stamp.side(); ++i) {
          const std::int64_t x = stamp.x - stamp.half + i, y = stamp.y - stamp.half + j;
          if (x >= 0 && y >= 0 && x < width && y < height)
            column[static_cast<std::size_t>(y * width + x)] =
                static_cast<double>(stamp.numbers[plane * stamp.plane() + j * stamp.stride + i]);
        }
      }
    }
  }
  SkyNodes one = field.sky;
  for (std::size_t node = 0; node < one.level.size(); ++node) {
    std::fill(one.level.begin(), one.level.end(), 0.0);
    one.level[node] = 1;
    std::vector<double>& column = all.emplace_back();
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) column.push_back(one.at(static_cast<double>(x), static_cast<double>(y)));
  }
  return all;
}

/// Solves N z = r by elimination; N is symmetric and not singular.
std::vector<double> eliminate(std::vector<std::vector<double>> n, std::vector<double> r) {
  const std::size_t size = r.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      const double factor = n[j][i] / n[i][i];
      for (std::size_t k = i; k < size; ++k) n[j][k] -= factor * n[i][k];
      r[j] -= factor * r[i];
    }
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) r[i] -= n[i][k] * r[k];
    r[i] /= n[i][i];
  }
  return r;
}

class CrowdEquationsOf : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(CrowdEquationsOf, AreThoseOfLeastSquares) {
  const Scene scene(GetParam(), 14);
  CrowdImage image = scene.image();
  image.gain = 2;
  const Cpu cpu{2};
  CrowdField field(image, 50, cpu);
  const CrowdPsf psf(PsfModel(model_numbers().data()), width / 2.0, height / 2.0);
  std::vector<CrowdStar> start = scene.stars;
  for (CrowdStar& star : start) star.flux *= 0.7;
  field.draw(psf, start, 0);
  field.render(start);
  const CrowdEquations equations = make_equations(field, start);
  const std::vector<std::vector<double>> columns = columns_of(field);
  ASSERT_EQ(std::ssize(columns), equations.size());
  std::vector<std::vector<double>> n(columns.size(), std::vector<double>(columns.size()));
  std::vector<double> r(columns.size());
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = 0; b < columns.size(); ++b)
      for (std::size_t i = 0; i < columns[a].size(); ++i)
        n[a][b] += columns[a][i] * columns[b][i] * static_cast<double>(field.weight[i]);
    for (std::size_t i = 0; i < columns[a].size(); ++i)
      r[a] += columns[a][i] * static_cast<double>(field.weight[i]) * static_cast<double>(field.residual[i]);
    EXPECT_NEAR(equations.right[a], r[a], 1e-5 * std::sqrt(n[a][a]) + 1e-6 * std::abs(r[a])) << a;
  }
  std::vector<double> prior(columns.size());
  for (std::size_t i = 0; i < start.size(); ++i)
    prior[3 * i + 1] = prior[3 * i + 2] = 1 / (start[i].flux * start[i].flux);
  for (std::size_t a = 0; a < columns.size(); ++a) n[a][a] += prior[a];
  const std::vector<double> exact = eliminate(n, r);
  const CrowdSolution solution = solve_equations(equations, prior, CrowdFree::all, 1e-7, 2000, cpu);
  EXPECT_LT(solution.rounds, 2000);
  for (std::size_t a = 0; a < columns.size(); ++a)
    EXPECT_NEAR(solution.z[a], exact[a], 1e-3 / std::sqrt(n[a][a])) << a;  // a thousandth of its error
  const CrowdSolution fluxes = solve_equations(equations, prior, CrowdFree::fluxes, 1e-7, 2000, cpu);
  for (std::size_t a = 0; a < columns.size(); ++a) {
    const bool is_flux = a < 3 * start.size() && a % 3 == 0;
    EXPECT_EQ(fluxes.z[a] != 0, is_flux) << a;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, CrowdEquationsOf, ::testing::Values(1U, 2U, 3U));

TEST(NoiseCells, FollowWhatIsClear) {
  const NoiseCells cells({16 * 10, 16 * 7 + 1});
  ASSERT_EQ(cells.columns, 10);
  ASSERT_EQ(cells.rows, 8);
  std::vector<float> scale(320, 7), noise(80, 0.5F);
  noise[13] = 40;  // a cell of bright stars
  noise[30] = -1;
  for (std::size_t i = 0; i < noise.size(); i += 3) noise[i] *= 1.2F;
  follow_noise(cells, noise, noise, scale);
  EXPECT_EQ(scale, std::vector<float>(320, 1)) << "even noise keeps one number";
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = i % 10 > 5 ? 8.0F : i < 70 ? 2.0F : 0.0F;
  noise[30] = -1;
  follow_noise(cells, noise, noise, scale);
  for (std::size_t i = 0; i < scale.size(); ++i) EXPECT_EQ(scale[i], i % 20 < 11 ? 1 : 4) << i;
  follow_noise(cells, std::vector<float>(80, -1), std::vector<float>(80, -1), scale);
  EXPECT_EQ(scale.back(), 4) << "nothing is known";
}

TEST(NoiseCells, OfASmoothedPartAreNotQuieter) {
  const NoiseCells cells({16 * 10, 16 * 8});
  std::vector<float> near(80), far(80, 1), scale(320, 7);
  for (const std::size_t smoothed : {2U, 8U}) {
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = i % 10 < smoothed ? 0.1F : 1.0F;
    follow_noise(cells, near, far, scale);
    EXPECT_EQ(scale, std::vector<float>(320, 1)) << smoothed << " of 10 columns";
  }
}

TEST(NoiseCells, AreOfEveryPixel) {
  const NoiseCells cells({100, 70});
  for (std::int64_t cell = 0; cell < cells.count(); ++cell)
    for (int sample = 0; sample < NoiseCells::samples; ++sample) {
      const std::int64_t quarter = cells.quarter(cells.x(cell, sample), cells.y(cell, sample));
      EXPECT_EQ(quarter / (2 * cells.columns) / 2 * cells.columns + quarter % (2 * cells.columns) / 2, cell);
    }
  EXPECT_LT(cells.quarter(99, 69), 4 * cells.count());
}

TEST(Crowds, DoNotDependOnThreads) {
  const Scene scene(7, 60);
  CrowdConfig config;
  config.inject = 30;
  const PsfModel model(model_numbers().data());
  const CrowdFit one = fit_crowd(scene.image(), model, config, Cpu{1});
  EXPECT_GT(one.rows.size(), 30U);
  for (const int threads : {2, 16}) {
    const CrowdFit other = fit_crowd(scene.image(), model, config, Cpu{threads});
    ASSERT_EQ(other.rows.size(), one.rows.size());
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      EXPECT_EQ(other.rows[i].flux, one.rows[i].flux);
      EXPECT_EQ(other.rows[i].x, one.rows[i].x);
      EXPECT_EQ(other.rows[i].variance, one.rows[i].variance);
      EXPECT_EQ(other.rows[i].spread, one.rows[i].spread);
      // NaN where no star was added.
      EXPECT_EQ(std::bit_cast<std::uint64_t>(other.rows[i].confusion),
                std::bit_cast<std::uint64_t>(one.rows[i].confusion));
    }
    EXPECT_EQ(other.residual, one.residual);
  }
}

TEST(Crowds, AreGivenNoMoreArtificialStarsThanAskedFor) {
  const std::vector<float> pixels(6000, 0.0F);
  for (const Shape& shape : {Shape{300, 20}, Shape{20, 300}, Shape{3, 2000}, Shape{2000, 3}}) {
    CrowdImage image;
    image.pixels = pixels.data();
    image.shape = shape;
    for (const int asked : {3, 7, 1000}) {
      CrowdConfig config;
      config.inject = asked;
      CrowdFit fit;
      fit.fwhm = 3.1;
      fit.noise = 1;
      inject_stars(image, PsfModel(model_numbers().data()), config, fit, [](const auto&) { return CrowdFit(); });
      std::int64_t added = 0;
      for (const CrowdBin& bin : fit.bins) {
        added += bin.added;
        EXPECT_EQ(bin.found, 0);
        EXPECT_TRUE(std::isnan(bin.scatter)) << "nothing was found that could scatter";
      }
      EXPECT_GT(added, 0) << shape.width;
      EXPECT_LE(added, asked) << shape.width;
    }
  }
}

/// The image moved by whole pixels has the same stars; only the sky's corners, and squares of the search, are
/// elsewhere.
TEST(Crowds, KeepTheirFluxesWhereTheImageIsMoved) {
  const Scene scene(8, 25);
  CrowdConfig config;
  const PsfModel model(model_numbers().data());
  const CrowdFit here = fit_crowd(scene.image(), model, config, Cpu{1});
  Scene moved = scene;
  moved.pixels.assign(width * height, sky_level);
  constexpr std::int64_t step = 5;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width - step; ++x)
      moved.pixels[static_cast<std::size_t>(y * width + x + step)] =
          scene.pixels[static_cast<std::size_t>(y * width + x)];
  const CrowdFit there = fit_crowd(moved.image(), model, config, Cpu{1});
  int compared = 0;
  for (const CrowdRow& row : here.rows) {
    if (row.x < 20 || row.x > width - 30 || row.flux * row.flux < 400 * row.variance) continue;
    for (const CrowdRow& other : there.rows)
      if (std::abs(other.x - row.x - step) < 0.3 && std::abs(other.y - row.y) < 0.3) {
        ++compared;
        EXPECT_NEAR(other.flux, row.flux, 0.5 * std::sqrt(row.variance));
      }
  }
  EXPECT_GT(compared, 8);
}

TEST(Crowds, SayHowMuchMemoryTheyNeed) {
  const Scene scene(9, 30);
  CrowdImage image = scene.image();
  std::int64_t most = 0;
  image.needs = [&](std::int64_t bytes) { most = std::max(most, bytes); };
  const CrowdFit fit = fit_crowd(image, PsfModel(model_numbers().data()), {}, Cpu{1});
  const auto stars = std::ssize(fit.rows);
  EXPECT_GT(most, 3 * CrowdPsf::numbers_for(10) * 4 * stars);
  image.needs = [](std::int64_t) { throw Error(ErrorKind::memory, "no room"); };
  EXPECT_THROW(fit_crowd(image, PsfModel(model_numbers().data()), {}, Cpu{1}), Error);
}

}  // namespace
}  // namespace srcextract::crowd_tests
