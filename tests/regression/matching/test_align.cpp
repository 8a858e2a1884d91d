#include "regression/matching/align.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string>

#include "tests/regression/matching/positions.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::degree;
using testing::nan;

/// Positions in order of brightness, and the change that is applied to them.
class Catalog {
 public:
  Catalog(Frame frame, unsigned seed) : random_(seed) { positions_.frame = frame; }

  static Catalog uniform(int rows, double width, double height, unsigned seed = 1) {
    Catalog catalog(Frame::pixel, seed);
    for (int i = 0; i < rows; ++i) catalog.add(width * catalog.uniform(), height * catalog.uniform());
    return catalog;
  }

  static Catalog sky(int rows, double ra, double dec, double size, unsigned seed = 1) {
    Catalog catalog(Frame::sky, seed);
    const double stretch = std::cos(dec * degree);
    for (int i = 0; i < rows; ++i) {
      const double x = ra + size * (catalog.uniform() - 0.5) / stretch;
      catalog.add(x < 0 ? x + 360 : x, dec + size * (catalog.uniform() - 0.5));
    }
    return catalog;
  }

  void add(double x, double y) {
    positions_.x.push_back(x);
    positions_.y.push_back(y);
  }

  /// What a second look at the sky finds: noise, and a share of the sources gone and as many others come.
  Catalog again(double noise, double changed, unsigned seed = 2) const {
    Catalog result(positions_.frame, seed);
    const auto [left, right] = std::minmax_element(positions_.x.begin(), positions_.x.end());
    const auto [low, high] = std::minmax_element(positions_.y.begin(), positions_.y.end());
    for (std::size_t i = 0; i < positions_.x.size(); ++i) {
      if (result.uniform() < changed) {
        result.add(*left + (*right - *left) * result.uniform(), *low + (*high - *low) * result.uniform());
      } else {
        result.add(positions_.x[i] + noise * result.normal(), positions_.y[i] + noise * result.normal());
      }
    }
    return result;
  }

  template <class Map>
  Catalog mapped(Map&& map) const {
    Catalog result = *this;
    for (std::size_t i = 0; i < positions_.x.size(); ++i) map(result.positions_.x[i], result.positions_.y[i]);
    return result;
  }

  const Positions& positions() const { return positions_; }
  Positions& positions() { return positions_; }

  double uniform() { return std::uniform_real_distribution(0.0, 1.0)(random_); }
  double normal() { return std::normal_distribution()(random_); }

 private:
  Positions positions_;
  std::mt19937_64 random_;
};

std::vector<std::int64_t> ranks(const Positions& positions) {
  std::vector<std::int64_t> rank(positions.x.size());
  std::iota(rank.begin(), rank.end(), 0);
  return rank;
}

Alignment align(const Catalog& reference, const Catalog& other, double radius, int threads = 2) {
  return find_alignment(reference.positions(), ranks(reference.positions()), other.positions(),
                        ranks(other.positions()), radius, threads);
}

/// A map of pixels, in words and as code, and what is to be found.
struct Planted {
  std::string name;
  void (*map)(double& x, double& y);
  Alignment found;
};

void PrintTo(const Planted& planted, std::ostream* out) {
  *out << planted.name;
}

void expect_alignment(const Alignment& found, const Alignment& planted, double precision) {
  EXPECT_EQ(static_cast<int>(found.change), static_cast<int>(planted.change));
  EXPECT_NEAR(found.dx, planted.dx, precision);
  EXPECT_NEAR(found.dy, planted.dy, precision);
  EXPECT_EQ(found.x_reversed, planted.x_reversed);
  EXPECT_EQ(found.y_reversed, planted.y_reversed);
}

void turn_into(double& x, double& y, double new_x, double new_y) {
  x = new_x;
  y = new_y;
}

class AlignPixels : public ::testing::TestWithParam<Planted> {};

// A field of 1000 x 700 pixels.
const Planted planted_in_pixels[] = {
    {"shift to the left and up",
     [](double& x, double& y) { turn_into(x, y, x - 12.25, y + 3.5); },
     {Change::shift, -12.25, 3.5}},
    {"shift beyond the field",
     [](double& x, double& y) { turn_into(x, y, x + 5e4, y - 7e5); },
     {Change::shift, 5e4, -7e5}},
    {"x axis flipped", [](double& x, double& y) { turn_into(x, y, 1001 - x, y); }, {Change::flip_x, 1001, 0}},
    {"y axis flipped", [](double& x, double& y) { turn_into(x, y, x, 701 - y); }, {Change::flip_y, 0, 701}},
    {"half a turn", [](double& x, double& y) { turn_into(x, y, 1001 - x, 701 - y); }, {Change::rotate_180, 1001, 701}},
    {"x and y swapped", [](double& x, double& y) { turn_into(x, y, y, x); }, {Change::swap, 0, 0}},
    {"swapped and shifted", [](double& x, double& y) { turn_into(x, y, y + 20, x - 30); }, {Change::swap, 20, -30}},
    {"a quarter turn",
     [](double& x, double& y) { turn_into(x, y, 701 - y, x); },
     {Change::swap_flip, 701, 0, true, false}},
    {"a quarter turn back",
     [](double& x, double& y) { turn_into(x, y, y, 1001 - x); },
     {Change::swap_flip, 0, 1001, false, true}},
    {"the other diagonal",
     [](double& x, double& y) { turn_into(x, y, 701 - y, 1001 - x); },
     {Change::swap_flip, 701, 1001, true, true}},
};

TEST_P(AlignPixels, IsFound) {
  for (const int rows : {10, 100, testing::sanitized ? 600 : 3000}) {
    const Catalog reference = Catalog::uniform(rows, 1000, 700);
    expect_alignment(align(reference, reference.again(0.05, 0.1).mapped(GetParam().map), 1.5), GetParam().found, 0.1);
  }
}

TEST_P(AlignPixels, IsFoundWhenAThirdOfTheSourcesAreOthers) {
  const Catalog reference = Catalog::uniform(testing::sanitized ? 400 : 1000, 1000, 700);
  expect_alignment(align(reference, reference.again(0.05, 0.35).mapped(GetParam().map), 1.5), GetParam().found, 0.02);
}

TEST_P(AlignPixels, IsUndoneExactly) {
  const Catalog reference = Catalog::uniform(50, 1000, 700);
  const Positions back = undone(reference.mapped(GetParam().map).positions(), GetParam().found);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(back.x[i], reference.positions().x[i], 1e-9);
    EXPECT_NEAR(back.y[i], reference.positions().y[i], 1e-9);
  }
}

TEST_P(AlignPixels, IsTheSameOnAnyNumberOfThreads) {
  const Catalog reference = Catalog::uniform(testing::sanitized ? 150 : 2000, 1000, 700);
  const Catalog other = reference.again(0.3, 0.2).mapped(GetParam().map);
  const Alignment one = align(reference, other, 1.5, 1), seven = align(reference, other, 1.5, 7);
  EXPECT_EQ(one.change, seven.change);
  EXPECT_EQ(one.dx, seven.dx);
  EXPECT_EQ(one.dy, seven.dy);
}

INSTANTIATE_TEST_SUITE_P(Changes, AlignPixels, ::testing::ValuesIn(planted_in_pixels));

TEST(Align, CountingFromZeroIsAChangeWhereItBreaksMatching) {
  const Catalog reference = Catalog::uniform(500, 1000, 700);
  const Catalog other = reference.again(0.1, 0.02).mapped([](double& x, double& y) { turn_into(x, y, x - 1, y - 1); });
  expect_alignment(align(reference, other, 1), {Change::shift, -1, -1}, 0.02);
  // Within the radius all match as they stand.
  EXPECT_EQ(align(reference, other, 2.5).change, Change::none);
}

TEST(Align, CataloguesThatFitAreLeftAlone) {
  const auto seeds = static_cast<unsigned>(testing::rounds(5));
  for (const int rows : {1, 2, 5, 10, 100, testing::sanitized ? 500 : 2000}) {
    for (const double noise : {0.0, 0.1, 0.5}) {
      for (unsigned seed = 0; seed < seeds; ++seed) {
        const Catalog reference = Catalog::uniform(rows, 500, 500, seed);
        EXPECT_EQ(align(reference, reference.again(noise, 0.2, seed + 100), 1.5).change, Change::none) << rows << noise;
      }
    }
  }
}

TEST(Align, NoiseAsLargeAsTheRadiusIsNoShift) {
  const auto seeds = static_cast<unsigned>(testing::rounds(10));
  for (const int rows : {10, 20, 50, 300, 2000}) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
      const Catalog reference = Catalog::uniform(rows, 1000, 1000, seed);
      EXPECT_EQ(align(reference, reference.again(1.0, 0.1, seed + 100), 1.5).change, Change::none)
          << rows << ' ' << seed;
    }
  }
}

TEST(Align, CataloguesWithNothingInCommonDoNotFit) {
  const auto seeds = static_cast<unsigned>(testing::rounds(5));
  for (const int rows : {2, 3, 6, 10, 30, 300, testing::sanitized ? 1000 : 3000}) {
    for (const double size : {30.0, 300.0, 3000.0}) {
      for (unsigned seed = 0; seed < seeds; ++seed) {
        const Catalog reference = Catalog::uniform(rows, size, size, seed);
        EXPECT_EQ(align(reference, Catalog::uniform(rows, size, size, seed + 1000), 1.5).change, Change::none)
            << rows << ' ' << size << ' ' << seed;
      }
    }
  }
}

TEST(Align, NothingAndOnePlaceSayNothing) {
  Catalog nothing(Frame::pixel, 1);
  Catalog heap = nothing, elsewhere = nothing, nowhere = nothing;
  for (int i = 0; i < 1000; ++i) {
    heap.add(3, 4);
    elsewhere.add(30, 40);
    nowhere.add(nan, i);
  }
  for (const Catalog* a : std::initializer_list<const Catalog*>{&nothing, &heap, &elsewhere, &nowhere}) {
    for (const Catalog* b : std::initializer_list<const Catalog*>{&nothing, &heap, &elsewhere, &nowhere}) {
      EXPECT_EQ(align(*a, *b, 1.5).change, Change::none);
    }
  }
  EXPECT_EQ(align(heap, heap, 0).change, Change::none);
}

TEST(Align, CoordinatesMayBeAsLargeAsDoublesAre) {
  const double huge = std::numeric_limits<double>::max();
  for (const Frame frame : {Frame::pixel, Frame::sky}) {
    Catalog reference(frame, 1), other(frame, 2);
    for (int i = 0; i < 50; ++i) {
      reference.add(i % 2 == 0 ? huge : -huge, 7 * i % 50);
      other.add(i, i % 3 == 0 ? -huge : huge);
    }
    EXPECT_EQ(align(reference, other, 1.5).change, Change::none);
    EXPECT_EQ(align(other, reference, 1.5).change, Change::none);
  }
}

TEST(Align, FewerThanHalfInCommonAreNoChange) {
  const Catalog reference = Catalog::uniform(1000, 1000, 1000);
  const auto shift = [](double& x, double& y) { turn_into(x, y, x + 40, y); };
  EXPECT_EQ(align(reference, reference.again(0.1, 0.7).mapped(shift), 1.5).change, Change::none);
  EXPECT_EQ(align(reference, reference.again(0.1, 0.4).mapped(shift), 1.5).change, Change::shift);
}

TEST(Align, RowsThatAreNowhereOrTwiceDoNotMatter) {
  Catalog reference = Catalog::uniform(600, 1000, 1000);
  Catalog other = reference.again(0.1, 0.1).mapped([](double& x, double& y) { turn_into(x, y, 1001 - x, y); });
  for (std::size_t i = 0; i < 600; i += 6) other.positions().x[i] = nan;
  for (std::size_t i = 1; i < 600; i += 6) other.add(other.positions().x[i], other.positions().y[i]);
  for (int i = 0; i < 500; ++i) reference.add(nan, nan);
  expect_alignment(align(reference, other, 1.5), {Change::flip_x, 1001, 0}, 0.05);
}

TEST(Align, OneSideMayBeDeeperThanTheOther) {
  const Catalog reference = Catalog::uniform(5000, 1000, 1000);
  Catalog other = reference.again(0.1, 0.1).mapped([](double& x, double& y) { turn_into(x, y, y, x); });
  other.positions().x.resize(500);
  other.positions().y.resize(500);
  expect_alignment(align(reference, other, 1.5), {Change::swap, 0, 0}, 0.05);
}

TEST(Align, PartOfTheFieldMayBeInCommon) {
  const Catalog sky = Catalog::uniform(4000, 2000, 1000);
  Catalog left(Frame::pixel, 1), right(Frame::pixel, 1);
  for (std::size_t i = 0; i < 4000; ++i) {
    const double x = sky.positions().x[i], y = sky.positions().y[i];
    if (x < 1200) left.add(x, y);
    if (x >= 400 && x < 1600) right.add(x - 400, y);
  }
  expect_alignment(align(left, right, 1.5), {Change::shift, -400, 0}, 1e-6);
}

Catalog grid(int side, double spacing) {
  Catalog catalog(Frame::pixel, 1);
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) catalog.add(spacing * column, spacing * row);
  }
  return catalog;
}

TEST(Align, ARegularGridThatFitsIsLeftAlone) {
  for (const int side : {4, 15, 60}) {
    const Catalog reference = grid(side, 20);
    EXPECT_EQ(align(reference, reference.again(0.1, 0), 1.5).change, Change::none);
    EXPECT_EQ(align(reference, reference.again(0.1, 0.2), 1.5).change, Change::none);
  }
}

TEST(Align, OfWhatARegularGridAllowsAShiftIsTheLikeliest) {
  const auto shift = [](double& x, double& y) { turn_into(x, y, x + 5, y - 3); };
  for (const int side : {4, 15}) {
    expect_alignment(align(grid(side, 20), grid(side, 20).again(0.05, 0).mapped(shift), 1.5), {Change::shift, 5, -3},
                     0.05);
  }
}

TEST(Align, WorksInUnitsOfSigma) {
  Catalog reference = Catalog::uniform(800, 1000, 1000);
  Catalog other = reference.again(0.1, 0.1).mapped([](double& x, double& y) { turn_into(x, y, x + 7, y); });
  for (int i = 0; i < 800; ++i) {
    reference.positions().sigma.push_back(i % 10 == 0 ? std::numeric_limits<float>::quiet_NaN() : 0.1F);
    other.positions().sigma.push_back(i % 7 == 0 ? 20.0F : 0.1F);
  }
  expect_alignment(align(reference, other, 5), {Change::shift, 7, 0}, 0.05);
  EXPECT_EQ(align(reference, reference, 5).change, Change::none);
}

TEST(Align, ManySourcesAreAlignedByAll) {
  const Catalog reference = Catalog::uniform(testing::share(100000), 20000, 20000);
  const Catalog other =
      reference.again(0.3, 0.1).mapped([](double& x, double& y) { turn_into(x, y, 20001 - x, y + 2); });
  // The median of n differences of scatter 0.3 is known to 1.25 * 0.3 / sqrt(n), for 90000 or 9000 of them: 5 sigma.
  expect_alignment(align(reference, other, 1.5), {Change::flip_x, 20001, 2}, testing::sanitized ? 0.02 : 0.006);
}

struct PlantedOnSky {
  std::string name;
  void (*map)(double& ra, double& dec);
  Alignment found;
};

void PrintTo(const PlantedOnSky& planted, std::ostream* out) {
  *out << planted.name;
}

class AlignSky : public ::testing::TestWithParam<PlantedOnSky> {};

const PlantedOnSky planted_on_sky[] = {
    {"shifted", [](double& ra, double& dec) { turn_into(ra, dec, ra + 0.02, dec - 0.3); }, {Change::shift, 0.02, -0.3}},
    {"right ascension runs west", [](double& ra, double&) { ra = 360 - ra; }, {Change::flip_x, 0, 0}},
    {"declination without its sign", [](double&, double& dec) { dec = -dec; }, {Change::flip_y, 0, 0}},
    {"swapped", [](double& ra, double& dec) { std::swap(ra, dec); }, {Change::swap, 0, 0}},
    {"right ascension in hours", [](double& ra, double&) { ra /= 15; }, {Change::hours, 0, 0}},
    {"in radians",
     [](double& ra, double& dec) { turn_into(ra, dec, ra * degree, dec * degree); },
     {Change::radians, 0, 0}},
};

TEST_P(AlignSky, IsFound) {
  constexpr double arcsec = 1 / 3600.0;
  for (const double ra : {0.0, 150.0, 359.9}) {
    for (const double dec : {5.0, -70.0}) {
      for (const int rows : {12, testing::sanitized ? 60 : 1000}) {
        const Catalog reference = Catalog::sky(rows, ra, dec, 0.5);
        const Catalog other = reference.again(0.02 * arcsec, 0.1).mapped(GetParam().map);
        const Alignment found = align(reference, other, arcsec);
        expect_alignment(found, GetParam().found, 0.1 * arcsec);
        // Undone, they match.
        const Matches matches = match_sources(reference.positions(), undone(other.positions(), found), arcsec, 1);
        EXPECT_GT(matches.reference.size(), 0.75 * rows) << ra << ' ' << dec;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Changes, AlignSky, ::testing::ValuesIn(planted_on_sky));

TEST(AlignSky, CataloguesThatFitAreLeftAlone) {
  for (const double dec : {0.0, 60.0, 89.9}) {
    for (const int rows : {10, 500}) {
      const Catalog reference = Catalog::sky(rows, 0.0, dec, 0.1);
      EXPECT_EQ(align(reference, reference.again(1e-6, 0.2), 1 / 3600.0).change, Change::none);
      EXPECT_EQ(align(reference, Catalog::sky(rows, 0.0, dec, 0.1, 77), 1 / 3600.0).change, Change::none);
    }
  }
}

TEST(AlignSky, ATurnInRightAscensionIsNoChange) {
  const Catalog reference = Catalog::sky(200, 0.0, 30, 1);
  const Catalog other = reference.mapped([](double& ra, double&) { ra = ra > 180 ? ra - 360 : ra; });
  EXPECT_EQ(align(reference, other, 1 / 3600.0).change, Change::none);
}

}  // namespace
}  // namespace srcextract
