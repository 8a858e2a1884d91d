#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "stages/core/parallel.hpp"

namespace srcextract {

/// A point found by a search. Neighbours are ordered by distance, and at equal distance by row.
struct Neighbour {
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  /// Squared distance. If matching is in units of sigma, divided by the sum of the squared sigma of both points.
  double distance2 = 0;
  std::uint32_t row = nobody;
  std::uint32_t point = nobody;  ///< index in KdTree::points()

  bool operator<(const Neighbour& than) const {
    return distance2 < than.distance2 || (distance2 == than.distance2 && row < than.row);
  }
};

/// A k-d tree: points in nested boxes (Bentley 1975; Friedman, Bentley & Finkel 1977). A search visits few points, for
/// any density of points. Each box stores two bounds:
/// - The smallest row number in the box: of millions of coincident points, a search visits only the first.
/// - The largest sigma in the box, which gives a lower limit of the distance in units of sigma.
template <std::size_t dimensions>
class KdTree {
 public:
  struct Point {
    std::array<double, dimensions> at;
    std::uint32_t row;
    float sigma;  ///< in units of the coordinates
  };

  KdTree(std::vector<Point> points, int threads) : points_(std::move(points)) {
    while (points_.size() >> levels_ > points_per_leaf) ++levels_;
    boxes_.resize(std::size_t{2} << levels_);
    if (points_.empty()) return;
    // Large boxes are divided one level after the other, then smaller branches of the tree are built in parallel.
    const int branching = std::min(levels_, 8);
    for (int level = 0; level < branching; ++level) {
      for_each_box(level, threads, [&](std::size_t box) { enclose_and_split(box); });
    }
    for_each_box(branching, threads, [&](std::size_t box) { build(box); });
  }

  /// The points in the order of the leaves. Searching in this order reuses the cache, since neighbours are close
  /// together.
  const std::vector<Point>& points() const { return points_; }

  /// The nearest neighbour of `to`, if that neighbour precedes `than` in the order of Neighbour; else `than`.
  Neighbour nearest(const Point& to, Neighbour than) const {
    if (!points_.empty()) find_nearest(1, to, than);
    return than;
  }

  /// The smallest row number below `row` with a squared distance to `to` (Neighbour::distance2) of at most `distance2`.
  /// Returns `row` if there is none.
  std::uint32_t first_within(const Point& to, double distance2, std::uint32_t row) const {
    if (!points_.empty()) find_first(1, to, distance2, row);
    return row;
  }

 private:
  static constexpr std::size_t points_per_leaf = 12;

  struct Box {
    std::array<double, dimensions> low, high;
    std::uint32_t first_row;
    float largest_sigma;
  };

  // Box 1 is the root; box i is divided into boxes 2i and 2i + 1. All leaves are on the same level.
  bool is_leaf(std::size_t box) const { return box >> levels_ != 0; }

  /// Index in points_ of the first point of the box with this index on this level.
  std::size_t begin_of(std::size_t index, int level) const { return points_.size() * index >> level; }

  std::pair<std::size_t, std::size_t> range_of(std::size_t box) const {
    const int level = std::bit_width(box) - 1;
    const std::size_t index = box - (std::size_t{1} << level);
    return {begin_of(index, level), begin_of(index + 1, level)};
  }

  template <class Body>
  void for_each_box(int level, int threads, const Body& body) {
    const std::int64_t boxes = std::int64_t{1} << level;
    parallel_for(boxes, 1, Cpu{threads},
                 [&](std::int64_t begin, std::int64_t) { body(static_cast<std::size_t>(boxes + begin)); });
  }

  void build(std::size_t box) {
    enclose_and_split(box);
    if (is_leaf(box)) return;
    build(2 * box);
    build(2 * box + 1);
  }

  void enclose_and_split(std::size_t number) {
    const auto [begin, end] = range_of(number);
    Box& box = boxes_[number];
    box = {points_[begin].at, points_[begin].at, points_[begin].row, points_[begin].sigma};
    float smallest_sigma = box.largest_sigma;
    for (std::size_t i = begin; i < end; ++i) {
      const Point& point = points_[i];
      for (std::size_t k = 0; k < dimensions; ++k) {
        box.low[k] = std::min(box.low[k], point.at[k]);
        box.high[k] = std::max(box.high[k], point.at[k]);
      }
      box.first_row = std::min(box.first_row, point.row);
      box.largest_sigma = std::max(box.largest_sigma, point.sigma);
      smallest_sigma = std::min(smallest_sigma, point.sigma);
    }
    if (!is_leaf(number)) split(number, smallest_sigma);
  }

  /// Divides the points of a box into halves: along the longest side, or by sigma if the logarithm of sigma varies more
  /// than the positions in units of sigma.
  void split(std::size_t number, float smallest_sigma) {
    const Box& box = boxes_[number];
    std::size_t widest = 0;
    for (std::size_t k = 1; k < dimensions; ++k) {
      if (box.high[k] - box.low[k] > box.high[widest] - box.low[widest]) widest = k;
    }
    const auto point = [&](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto first = point(range_of(number).first), middle = point(range_of(2 * number).second),
               last = point(range_of(number).second);
    const double extent = (box.high[widest] - box.low[widest]) / box.largest_sigma;
    if (std::log(box.largest_sigma / smallest_sigma) > extent) {
      std::nth_element(first, middle, last, [](const Point& a, const Point& b) { return a.sigma < b.sigma; });
    } else {
      std::nth_element(first, middle, last,
                       [widest](const Point& a, const Point& b) { return a.at[widest] < b.at[widest]; });
    }
  }

  static double in_sigma(double distance2, double sigma, double other_sigma) {
    return distance2 > 0 ? distance2 / (sigma * sigma + other_sigma * other_sigma) : 0;
  }

  Neighbour neighbour(const Point& to, std::size_t number) const {
    const Point& point = points_[number];
    double distance2 = 0;
    for (std::size_t k = 0; k < dimensions; ++k) {
      const double d = point.at[k] - to.at[k];
      distance2 += d * d;
    }
    return {in_sigma(distance2, to.sigma, point.sigma), point.row, static_cast<std::uint32_t>(number)};
  }

  /// A lower limit, as a Neighbour, for all points of the box. Rounding does not violate the limit: every operation is
  /// the same as in neighbour(), with coordinate differences that are not larger and a sigma that is not smaller.
  static Neighbour bound(const Point& to, const Box& box) {
    double distance2 = 0;
    for (std::size_t k = 0; k < dimensions; ++k) {
      const double d = std::max({box.low[k] - to.at[k], to.at[k] - box.high[k], 0.0});
      distance2 += d * d;
    }
    return {in_sigma(distance2, to.sigma, box.largest_sigma), box.first_row};
  }

  void find_nearest(std::size_t box, const Point& to, Neighbour& best) const {
    if (is_leaf(box)) {
      const auto [begin, end] = range_of(box);
      for (std::size_t i = begin; i < end; ++i) best = std::min(best, neighbour(to, i));
      return;
    }
    std::size_t nearer = 2 * box, farther = nearer + 1;
    Neighbour near = bound(to, boxes_[nearer]), far = bound(to, boxes_[farther]);
    if (far < near) {
      std::swap(nearer, farther);
      std::swap(near, far);
    }
    if (near < best) find_nearest(nearer, to, best);
    if (far < best) find_nearest(farther, to, best);
  }

  void find_first(std::size_t box, const Point& to, double distance2, std::uint32_t& row) const {
    if (boxes_[box].first_row >= row || bound(to, boxes_[box]).distance2 > distance2) return;
    if (is_leaf(box)) {
      const auto [begin, end] = range_of(box);
      for (std::size_t i = begin; i < end; ++i) {
        if (points_[i].row < row && neighbour(to, i).distance2 <= distance2) row = points_[i].row;
      }
      return;
    }
    const std::size_t earlier = boxes_[2 * box].first_row < boxes_[2 * box + 1].first_row ? 2 * box : 2 * box + 1;
    find_first(earlier, to, distance2, row);
    find_first(earlier ^ 1, to, distance2, row);
  }

  std::vector<Point> points_;
  std::vector<Box> boxes_;
  int levels_ = 0;
};

}  // namespace srcextract
