#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// Which stars are where: squares of the image with the numbers of their stars, ascending.
class StarCells {
 public:
  static constexpr std::int32_t side = 16;

  explicit StarCells(const Shape& shape)
      : columns_(static_cast<std::int32_t>((shape.width + side - 1) / side)),
        rows_(static_cast<std::int32_t>((shape.height + side - 1) / side)) {}

  template <class Star>
  void fill(const std::vector<Star>& stars) {
    begin_.assign(static_cast<std::size_t>(std::int64_t{columns_} * rows_) + 1, 0);
    number_.resize(stars.size());
    for (const Star& star : stars) ++begin_[cell_of(star) + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    std::vector<std::int32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < stars.size(); ++i)
      number_[static_cast<std::size_t>(next[cell_of(stars[i])]++)] = static_cast<std::int32_t>(i);
  }

  /// Calls f(number) for the stars of all cells that touch these limits, cell by cell.
  template <class F>
  void each_near(double x_begin, double x_end, double y_begin, double y_end, const F& f) const {
    const std::int32_t left = cell(x_begin, columns_), right = cell(x_end, columns_);
    const std::int32_t top = cell(y_begin, rows_), bottom = cell(y_end, rows_);
    for (std::int32_t row = top; row <= bottom; ++row) {
      const std::int64_t of_row = std::int64_t{row} * columns_;
      const auto from = begin_[static_cast<std::size_t>(of_row + left)],
                 to = begin_[static_cast<std::size_t>(of_row + right) + 1];
      for (std::int32_t i = from; i < to; ++i) f(number_[static_cast<std::size_t>(i)]);
    }
  }

 private:
  static std::int32_t cell(double at, std::int32_t count) {
    const double number = std::floor((at + 0.5) / side);
    return static_cast<std::int32_t>(std::clamp(number, 0.0, count - 1.0));
  }
  template <class Star>
  std::size_t cell_of(const Star& star) const {
    return static_cast<std::size_t>(std::int64_t{cell(star.y, rows_)} * columns_ + cell(star.x, columns_));
  }

  std::int32_t columns_, rows_;
  std::vector<std::int32_t> begin_, number_;
};

}  // namespace srcextract
