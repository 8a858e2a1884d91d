#include "regression/matching/match.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "regression/matching/kd_tree.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t grain = 4096;
constexpr double degrees_per_radian = 180 / std::numbers::pi;

// Row numbers must be below Neighbour::nobody, since points of a tree store row numbers in four bytes.
void check_size(const Positions& positions) {
  if (positions.size() >= Neighbour::nobody) {
    throw Error(ErrorKind::input, "a catalogue of " + std::to_string(positions.size()) +
                                      " rows: at most 4294967294 can be matched; compare it in parts");
  }
}

/// Sets `at` to the pixel position of a row. Returns false if the row has no position.
bool locate(const Positions& positions, std::size_t row, std::array<double, 2>& at) {
  at = {positions.x[row], positions.y[row]};
  return std::isfinite(at[0]) && std::isfinite(at[1]);
}

/// Sets `at` to the row's position on a sphere on which an arc of one degree has length 1; returns false without a
/// position. Right ascension is reduced to [0, 360) before rounding, so that equal directions give equal points.
bool locate(const Positions& positions, std::size_t row, std::array<double, 3>& at) {
  const double dec = positions.y[row];
  const double ra = std::fmod(positions.x[row], 360.0);  // NaN if right ascension is not finite
  if (std::isnan(ra) || !(std::abs(dec) <= 90)) return false;
  const double longitude = (ra < 0 ? ra + 360 : ra) / degrees_per_radian;
  const double ring = degrees_per_radian * std::sin((90 - std::abs(dec)) / degrees_per_radian);
  at = {ring * std::cos(longitude), ring * std::sin(longitude),
        degrees_per_radian * std::sin(dec / degrees_per_radian)};
  return true;
}

/// The squared Euclidean distance, in the coordinates of locate(), of two points that are `radius` apart.
double squared_limit(double radius, std::array<double, 2>) {
  return radius * radius;
}

double squared_limit(double radius, std::array<double, 3>) {
  const double chord = 2 * degrees_per_radian * std::sin(std::min(radius, 180.0) / degrees_per_radian / 2);
  return chord * chord;
}

/// Makes a tree of the rows that have a position. The sigma of a point is the row's error with `with_errors`, else
/// `sigma`.
template <std::size_t dimensions>
KdTree<dimensions> tree_of(const Positions& positions, bool with_errors, float sigma, int threads) {
  std::vector<typename KdTree<dimensions>::Point> points(positions.x.size());
  parallel_for(positions.size(), grain, Cpu{threads}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::size_t>(i);
      auto& point = points[row];
      point.sigma = with_errors ? positions.sigma[row] : sigma;
      const bool has_error = std::isfinite(point.sigma) && point.sigma >= 0;
      point.row = has_error && locate(positions, row, point.at) ? static_cast<std::uint32_t>(row) : Neighbour::nobody;
    }
  });
  std::erase_if(points, [](const auto& point) { return point.row == Neighbour::nobody; });
  return KdTree<dimensions>(std::move(points), threads);
}

/// Calls body(point) for every point, on all threads.
template <std::size_t dimensions, class Body>
void for_each_point(const KdTree<dimensions>& tree, int threads, const Body& body) {
  const auto& points = tree.points();
  parallel_for(static_cast<std::int64_t>(points.size()), grain, Cpu{threads},
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) body(points[static_cast<std::size_t>(i)]);
               });
}

// For each row of one catalogue: the partner's row in the other catalogue, or Neighbour::nobody.
using Partners = std::vector<std::uint32_t>;

/// Lists the unmatched rows at the same position as an earlier, matched row, as pairs (earlier row, row), sorted. Of
/// rows with equal sigma at one position, only the first can be a nearest neighbour.
template <std::size_t dimensions>
std::vector<std::pair<std::uint32_t, std::uint32_t>> left_over(const KdTree<dimensions>& tree, const Partners& partners,
                                                               int threads) {
  Partners firsts(partners.size(), Neighbour::nobody);
  for_each_point(tree, threads, [&](const auto& point) {
    if (partners[point.row] == Neighbour::nobody) firsts[point.row] = tree.first_within(point, 0, point.row);
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
  for (std::size_t row = 0; row < firsts.size(); ++row) {
    if (firsts[row] == Neighbour::nobody || partners[firsts[row]] == Neighbour::nobody) continue;
    rows.emplace_back(firsts[row], static_cast<std::uint32_t>(row));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// If the first rows at two positions are partners, makes the second rows at these positions partners, the third rows,
/// and so on.
template <std::size_t dimensions>
void pair_coincident(const KdTree<dimensions>& reference, const KdTree<dimensions>& other, std::size_t other_rows,
                     Partners& partners, int threads) {
  const auto lost = left_over(reference, partners, threads);
  if (lost.empty()) return;
  Partners taken_by(other_rows, Neighbour::nobody);
  for (std::size_t row = 0; row < partners.size(); ++row) {
    if (partners[row] != Neighbour::nobody) taken_by[partners[row]] = static_cast<std::uint32_t>(row);
  }
  auto gained = left_over(other, taken_by, threads);
  for (auto& [first, row] : gained) first = taken_by[first];
  std::sort(gained.begin(), gained.end());
  auto g = gained.begin();
  for (auto l = lost.begin(); l != lost.end() && g != gained.end();) {
    if (l->first == g->first) {
      partners[l++->second] = g++->second;
    } else if (l->first < g->first) {
      ++l;
    } else {
      ++g;
    }
  }
}

template <std::size_t dimensions>
Partners find_partners(const Positions& reference, const Positions& other, double radius, int threads) {
  Partners partners(reference.x.size(), Neighbour::nobody);
  if (!(radius >= 0)) return partners;
  const bool in_sigma = !reference.sigma.empty() && !other.sigma.empty();
  const double limit = in_sigma ? radius * radius : squared_limit(radius, std::array<double, dimensions>());
  // If sigma is 1 for one side and 0 for the other, the distance in units of sigma equals the distance.
  const KdTree<dimensions> reference_tree = tree_of<dimensions>(reference, in_sigma, 1, threads);
  const KdTree<dimensions> other_tree = tree_of<dimensions>(other, in_sigma, 0, threads);
  for_each_point(reference_tree, threads, [&](const auto& point) {
    const Neighbour nearest = other_tree.nearest(point, {limit, Neighbour::nobody});
    if (nearest.row == Neighbour::nobody) return;
    // Searches back from the row that was found: another reference row may be nearer, or equally near with a smaller
    // row number.
    const auto& found = other_tree.points()[nearest.point];
    const Neighbour back = reference_tree.nearest(found, {nearest.distance2, point.row});
    if (back.row == point.row) partners[point.row] = nearest.row;
  });
  pair_coincident(reference_tree, other_tree, other.x.size(), partners, threads);
  return partners;
}

template <std::size_t dimensions>
Partners find_earlier(const Positions& positions, double tolerance, int threads) {
  Partners earlier(positions.x.size(), Neighbour::nobody);
  if (!(tolerance >= 0)) return earlier;
  const double limit = squared_limit(tolerance, std::array<double, dimensions>());
  const KdTree<dimensions> tree = tree_of<dimensions>(positions, false, 1, threads);
  for_each_point(tree, threads, [&](auto point) {
    point.sigma = 0;
    earlier[point.row] = tree.first_within(point, limit, point.row);
  });
  return earlier;
}

}  // namespace

Matches match_sources(const Positions& reference, const Positions& other, double radius, int threads) {
  check_size(reference);
  check_size(other);
  const Partners partners = reference.frame == Frame::sky ? find_partners<3>(reference, other, radius, threads)
                                                          : find_partners<2>(reference, other, radius, threads);
  Matches matches;
  std::vector<bool> taken(other.x.size());
  for (std::size_t row = 0; row < partners.size(); ++row) {
    if (partners[row] == Neighbour::nobody) {
      matches.lost.push_back(static_cast<std::int64_t>(row));
    } else {
      matches.reference.push_back(static_cast<std::int64_t>(row));
      matches.other.push_back(partners[row]);
      taken[partners[row]] = true;
    }
  }
  for (std::size_t row = 0; row < taken.size(); ++row) {
    if (!taken[row]) matches.gained.push_back(static_cast<std::int64_t>(row));
  }
  return matches;
}

std::vector<Duplicate> find_duplicates(const Positions& positions, double tolerance, int threads) {
  check_size(positions);
  const Partners earlier = positions.frame == Frame::sky ? find_earlier<3>(positions, tolerance, threads)
                                                         : find_earlier<2>(positions, tolerance, threads);
  std::vector<Duplicate> duplicates;
  for (std::int64_t row = 0; row < positions.size(); ++row) {
    const std::uint32_t first = earlier[static_cast<std::size_t>(row)];
    if (first < row) duplicates.push_back({row, first});
  }
  return duplicates;
}

}  // namespace srcextract
