#include "regression/matching/match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/regression/matching/positions.hpp"

namespace srcextract {
namespace {

using testing::all_rows;
using testing::degree;
using ::testing::ElementsAre;
using testing::infinity;
using ::testing::IsEmpty;
using testing::nan;
using testing::pixels;
using testing::Random;
using testing::sky;

/// The angle as astropy's angular_separation has it (Vincenty 1975), which is accurate at all distances.
double angle_between(double ra1, double dec1, double ra2, double dec2) {
  const double dra = std::remainder(ra2 - ra1, 360.0) * degree;
  const double sin1 = std::sin(dec1 * degree), cos1 = std::cos(dec1 * degree);
  const double sin2 = std::sin(dec2 * degree), cos2 = std::cos(dec2 * degree);
  const double across = cos2 * std::sin(dra), along = cos1 * sin2 - sin1 * cos2 * std::cos(dra);
  return std::atan2(std::hypot(across, along), sin1 * sin2 + cos1 * cos2 * std::cos(dra)) / degree;
}

/// What every row of one catalogue is away from every row of another, the slow and obvious way.
double distance(const Positions& a, std::size_t i, const Positions& b, std::size_t j) {
  if (a.frame == Frame::sky) {
    const bool on_sky = std::abs(a.y[i]) <= 90 && std::abs(b.y[j]) <= 90;
    return on_sky ? angle_between(a.x[i], a.y[i], b.x[j], b.y[j]) : nan;
  }
  const double dx = a.x[i] - b.x[j], dy = a.y[i] - b.y[j];
  const double squared = dx * dx + dy * dy;  // of equal distances, equal
  if (a.sigma.empty() || b.sigma.empty()) return std::sqrt(squared);
  const double variance = double{a.sigma[i]} * a.sigma[i] + double{b.sigma[j]} * b.sigma[j];
  return squared == 0 ? 0 : std::sqrt(squared / variance);
}

constexpr std::size_t none = static_cast<std::size_t>(-1);

std::vector<std::size_t> slow_nearest(const Positions& from, const Positions& to, double radius) {
  std::vector<std::size_t> nearest(from.x.size(), none);
  for (std::size_t i = 0; i < from.x.size(); ++i) {
    double least = infinity;
    for (std::size_t j = 0; j < to.x.size(); ++j) {
      const double d = distance(from, i, to, j);
      if (d <= radius && d < least) {
        least = d;
        nearest[i] = j;
      }
    }
  }
  return nearest;
}

std::vector<std::pair<std::int64_t, std::int64_t>> slow_match(const Positions& reference, const Positions& other,
                                                              double radius) {
  const std::vector<std::size_t> there = slow_nearest(reference, other, radius);
  const std::vector<std::size_t> back = slow_nearest(other, reference, radius);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  const auto same = [](const Positions& p, std::size_t a, std::size_t b) {
    return p.x[a] == p.x[b] && p.y[a] == p.y[b];
  };
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i] == none || back[there[i]] != i) continue;
    // Rows in one place pair up in order.
    for (std::size_t r = i, o = there[i]; r < there.size() && o < back.size();) {
      if (!same(reference, r, i)) {
        ++r;
      } else if (!same(other, o, there[i])) {
        ++o;
      } else {
        pairs.emplace_back(r++, o++);
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<std::pair<std::int64_t, std::int64_t>> pairs_of(const Matches& matches) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t k = 0; k < matches.reference.size(); ++k) {
    pairs.emplace_back(matches.reference[k], matches.other.at(k));
  }
  return pairs;
}

/// Every row is matched once, or lost, or gained; the lists are in order.
void expect_complete(const Matches& m, const Positions& reference, const Positions& other) {
  ASSERT_EQ(m.reference.size(), m.other.size());
  for (const auto* list : {&m.reference, &m.lost, &m.gained}) EXPECT_TRUE(std::is_sorted(list->begin(), list->end()));
  const auto joined = [](std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    return a;
  };
  EXPECT_EQ(joined(m.reference, m.lost), all_rows(reference.size()));
  EXPECT_EQ(joined(m.other, m.gained), all_rows(other.size()));
}

struct Pair {
  std::string name;
  Positions reference, other;
  double radius;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.name;
}

/// A field and the same with noise, in which some have gone and others come.
Pair noisy_pair(const std::string& name, int rows, double size, double noise, double radius) {
  Random random(static_cast<unsigned>(rows));
  Pair pair{name, {}, {}, radius};
  const auto add = [&](Positions& to, double x, double y) {
    to.x.push_back(x);
    to.y.push_back(y);
  };
  for (int i = 0; i < rows; ++i) {
    const double x = random.uniform(0, size), y = random.uniform(0, size);
    if (i % 7 != 3) add(pair.reference, x, y);
    if (i % 5 != 2) add(pair.other, x + noise * random.normal(), y + noise * random.normal());
  }
  std::reverse(pair.other.x.begin(), pair.other.x.end());
  std::reverse(pair.other.y.begin(), pair.other.y.end());
  return pair;
}

void round_to(Positions& positions, double step) {
  for (auto* axis : {&positions.x, &positions.y}) {
    for (double& value : *axis) value = step * std::round(value / step);
  }
}

Pair with_errors(Pair pair, double orders_of_magnitude) {
  Random random(7);
  for (Positions* side : {&pair.reference, &pair.other}) {
    for (std::size_t i = 0; i < side->x.size(); ++i) {
      const double sigma = std::pow(10, -orders_of_magnitude * random.uniform(0, 1));
      side->sigma.push_back(i % 50 == 7 ? 0.0F : static_cast<float>(sigma));
    }
  }
  return pair;
}

Pair on_sky(const std::string& name, double ra, double dec, double size, double noise, double radius) {
  Pair pair{name, sky({}, {}), sky({}, {}), radius};
  Random random(3);
  for (int i = 0; i < 800; ++i) {
    // Around the pole by the tangent plane, elsewhere along the coordinates.
    double at_ra = ra + size * random.uniform(-1, 1), at_dec = dec + size * random.uniform(-1, 1);
    if (std::abs(dec) == 90) {
      const double x = size * random.uniform(-1, 1), y = size * random.uniform(-1, 1);
      at_ra = std::atan2(y, x) / degree;
      at_dec = std::copysign(90 - std::hypot(x, y), dec);
    }
    if (i % 7 != 3) {
      pair.reference.x.push_back(at_ra);
      pair.reference.y.push_back(at_dec);
    }
    const double stretch = std::max(1e-9, std::cos(at_dec * degree));
    pair.other.x.push_back(at_ra + noise * random.normal() / stretch + (i % 2 == 0 ? 360 : 0));
    pair.other.y.push_back(std::clamp(at_dec + noise * random.normal(), -90.0, 90.0));
  }
  return pair;
}

std::vector<Pair> pairs() {
  std::vector<Pair> all = {
      noisy_pair("sparse", 1000, 1000, 0.1, 1.5),
      noisy_pair("crowded", 1500, 30, 0.3, 1.5),
      noisy_pair("radius beyond the field", 700, 30, 0.3, 1e6),
      noisy_pair("one tenth of the rows of a leaf", 5, 10, 0.1, 1),
      {"nothing against nothing", pixels({}, {}), pixels({}, {}), 1},
      {"something against nothing", pixels({1, 2}, {1, 2}), pixels({}, {}), 1},
      {"nothing against something", pixels({}, {}), pixels({1, 2}, {1, 2}), 1},
      {"one row each", pixels({5}, {5}), pixels({6}, {5}), 1},
      {"exact positions alone", pixels({5, 7}, {5, 7}), pixels({7, 5}, {7, 5.5}), 0},
  };
  Pair ties = noisy_pair("equal distances everywhere", 1200, 25, 0.5, 2);
  round_to(ties.reference, 1);
  round_to(ties.other, 1);
  all.push_back(ties);
  Pair line = noisy_pair("on a line", 900, 300, 0.1, 1);
  std::fill(line.reference.y.begin(), line.reference.y.end(), 4.0);
  std::fill(line.other.y.begin(), line.other.y.end(), 4.0);
  all.push_back(line);
  Pair holes = noisy_pair("not finite here and there", 900, 100, 0.1, 1);
  for (std::size_t i = 0; i < holes.reference.x.size(); i += 9) holes.reference.x[i] = i % 2 == 0 ? nan : infinity;
  for (std::size_t i = 0; i < holes.other.y.size(); i += 9) holes.other.y[i] = i % 2 == 0 ? -infinity : nan;
  all.push_back(holes);
  Pair heaps = noisy_pair("heaps of sources on few points", 900, 4, 0.1, 1.2);
  round_to(heaps.reference, 1);
  round_to(heaps.other, 1);
  all.push_back(heaps);
  all.push_back({"one heap against another", pixels({3, 3, 3, 3}, {1, 1, 1, 1}), pixels({3, 3, 3}, {2, 2, 2}), 1});
  all.push_back(with_errors(noisy_pair("errors alike", 1000, 200, 0.1, 3), 0.2));
  all.push_back(with_errors(noisy_pair("errors of many sizes", 1000, 100, 0.1, 5), 6));
  all.push_back(with_errors(noisy_pair("errors of many sizes, crowded", 1500, 5, 0.1, 5), 3));
  all.push_back(on_sky("sky: equator, across 0", 0, 0, 0.01, 1e-4, 2e-4));
  all.push_back(on_sky("sky: milliarcseconds", 123, 56, 1e-5, 3e-7, 5e-7));
  all.push_back(on_sky("sky: north pole", 0, 90, 0.05, 1e-3, 3e-3));
  all.push_back(on_sky("sky: south pole", 0, -90, 5, 0.1, 0.5));
  all.push_back(on_sky("sky: degrees", 10, 40, 30, 1, 5));
  all.push_back(on_sky("sky: everything is near", 10, 0, 80, 1, 180));
  return all;
}

class MatchSources : public ::testing::TestWithParam<Pair> {};

TEST_P(MatchSources, FindsWhatComparingEachWithEachFinds) {
  const Pair& pair = GetParam();
  const auto expected = slow_match(pair.reference, pair.other, pair.radius);
  for (const int threads : {1, 7}) {
    const Matches matches = match_sources(pair.reference, pair.other, pair.radius, threads);
    EXPECT_EQ(pairs_of(matches), expected);
    expect_complete(matches, pair.reference, pair.other);
  }
}

TEST_P(MatchSources, FindsTheSamePairsTheOtherWayRound) {
  const Pair& pair = GetParam();
  auto swapped = pairs_of(match_sources(pair.other, pair.reference, pair.radius, 2));
  for (auto& [a, b] : swapped) std::swap(a, b);
  std::sort(swapped.begin(), swapped.end());
  EXPECT_EQ(swapped, pairs_of(match_sources(pair.reference, pair.other, pair.radius, 2)));
}

TEST_P(MatchSources, ACatalogueMatchesItself) {
  const Pair& pair = GetParam();
  Positions side = pair.reference;
  const Matches matches = match_sources(side, side, pair.radius, 2);
  EXPECT_EQ(matches.other, matches.reference);
  EXPECT_EQ(matches.gained, matches.lost);
  std::int64_t somewhere = 0;
  for (std::size_t i = 0; i < side.x.size(); ++i) somewhere += std::isfinite(side.x[i]) && std::isfinite(side.y[i]);
  EXPECT_EQ(static_cast<std::int64_t>(matches.reference.size()), somewhere);
}

INSTANTIATE_TEST_SUITE_P(Catalogues, MatchSources, ::testing::ValuesIn(pairs()));

std::vector<std::pair<std::int64_t, std::int64_t>> rows_of(const std::vector<Duplicate>& duplicates) {
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;
  for (const Duplicate& duplicate : duplicates) rows.emplace_back(duplicate.row, duplicate.earlier);
  return rows;
}

TEST(FindDuplicates, FindsWhatComparingEachWithEachFinds) {
  for (const Pair& pair : pairs()) {
    for (const double tolerance : {0.0, pair.radius / 3}) {
      Positions positions = pair.reference;
      positions.sigma.clear();
      std::vector<std::pair<std::int64_t, std::int64_t>> expected;
      for (std::size_t i = 0; i < positions.x.size(); ++i) {
        std::size_t j = 0;
        while (j < i && !(distance(positions, i, positions, j) <= tolerance)) ++j;
        if (j < i) expected.emplace_back(i, j);
      }
      for (const int threads : {1, 7}) {
        EXPECT_EQ(rows_of(find_duplicates(pair.reference, tolerance, threads)), expected) << pair.name;
      }
    }
  }
}

TEST(FindDuplicates, EveryRowOnOnePointRepeatsTheFirst) {
  const Positions heap = pixels(std::vector<double>(300000, 3.0), std::vector<double>(300000, 4.0));
  for (const double tolerance : {0.0, 1.0}) {
    const std::vector<Duplicate> duplicates = find_duplicates(heap, tolerance, 2);
    ASSERT_EQ(duplicates.size(), 299999U);
    for (std::size_t k = 0; k < duplicates.size(); ++k) {
      ASSERT_EQ(duplicates[k].row, static_cast<std::int64_t>(k + 1));
      ASSERT_EQ(duplicates[k].earlier, 0);
    }
  }
}

TEST(FindDuplicates, NowhereIsNoPlaceToMeet) {
  EXPECT_THAT(find_duplicates(pixels({nan, nan, 1}, {1, 1, nan}), 1, 1), IsEmpty());
  EXPECT_THAT(rows_of(find_duplicates(sky({0, 360, 7, 8}, {1, 1, 90, 90}), 0, 1)),
              ElementsAre(std::pair(1, 0), std::pair(3, 2)));
}

}  // namespace
}  // namespace srcextract
