#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/math/field_terms.hpp"
#include "stages/math/star_profile.hpp"

namespace srcextract {

/// The shape of a star at one position in the field: a square of nodes, one pixel apart around the star's centre,
/// surrounded by zeros.
class ShapeHere {
 public:
  ShapeHere(const FieldSquare& square, const FieldTerms& at)
      : reach_(square.half + beyond),
        wide_(2 * reach_ + 1),
        nodes_(static_cast<std::size_t>(std::int64_t{wide_} * wide_), 0) {
    for (int row = -square.half; row <= square.half; ++row)
      for (int column = -square.half; column <= square.half; ++column)
        nodes_[static_cast<std::size_t>((row + reach_) * std::int64_t{wide_} + column + reach_)] =
            square.node(column, row, at);
  }

  double peak() const { return node(0, 0); }
  double node(std::int64_t column, std::int64_t row) const {
    return nodes_[static_cast<std::size_t>((row + reach_) * wide_ + column + reach_)];
  }

  /// Returns Placement::value() of the shape for the `side` x `side` pixels from pixel (x, y) on, row by row. These
  /// pixels may be up to two pixels outside of the shape's square.
  std::vector<double> values(const Placement& at, std::int64_t x, std::int64_t y, int side) const {
    constexpr int taps = 4;
    std::vector<double> rows(static_cast<std::size_t>(std::int64_t{side + taps - 1} * side)), result;
    const std::int64_t column = x - at.x - 2 + reach_, first = y - at.y - 2 + reach_;
    for (int j = 0; j < side + taps - 1; ++j) {
      const double* const nodes = nodes_.data() + (first + j) * wide_ + column;
      for (int i = 0; i < side; ++i) {
        double sum = 0;
        for (int k = 0; k < taps; ++k) sum += at.along_x.of[k] * nodes[i + k];
        rows[static_cast<std::size_t>(std::int64_t{j} * side + i)] = sum;
      }
    }
    for (int pixel = 0; pixel < side * side; ++pixel) {
      double sum = 0;
      for (int k = 0; k < taps; ++k)
        sum += at.along_y.of[k] * rows[static_cast<std::size_t>(pixel + std::int64_t{k} * side)];
      result.push_back(sum);
    }
    return result;
  }

 private:
  /// Width of the border of zeros around the nodes, which interpolation at the shape's edge reads.
  static constexpr int beyond = 5;
  int reach_, wide_;
  std::vector<double> nodes_;
};

}  // namespace srcextract
