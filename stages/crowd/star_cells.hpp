#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Square cells of the image, each with the numbers of its stars in ascending order, in host or device memory.
struct CellsView {
  static constexpr std::int32_t side = 16;

  std::int32_t columns = 0, rows = 0;
  const std::int32_t* begin = nullptr;  ///< per cell: index in `number` of its first star; one more element is the end
  const std::int32_t* number = nullptr;

  CellsView() = default;
  explicit CellsView(const Shape& shape)
      : columns(static_cast<std::int32_t>((shape.width + side - 1) / side)),
        rows(static_cast<std::int32_t>((shape.height + side - 1) / side)) {}

  SRCEXTRACT_HOST_DEVICE std::int64_t count() const { return std::int64_t{columns} * rows; }

  /// Calls f(number) for all stars in the cells that overlap this range of positions, cell by cell.
  template <class F>
  SRCEXTRACT_HOST_DEVICE void each_near(double x_begin, double x_end, double y_begin, double y_end, const F& f) const {
    const std::int32_t left = along(x_begin, columns), right = along(x_end, columns);
    const std::int32_t top = along(y_begin, rows), bottom = along(y_end, rows);
    for (std::int32_t row = top; row <= bottom; ++row) {
      const std::int64_t of_row = std::int64_t{row} * columns;
      for (std::int32_t i = begin[of_row + left]; i < begin[of_row + right + 1]; ++i) f(number[i]);
    }
  }

  SRCEXTRACT_HOST_DEVICE std::int64_t cell_of(double x, double y) const {
    return std::int64_t{along(y, rows)} * columns + along(x, columns);
  }

 private:
  static SRCEXTRACT_HOST_DEVICE std::int32_t along(double at, std::int32_t count) {
    double number = std::floor((at + 0.5) / side);
    if (!(number > 0)) number = 0;
    if (number > count - 1.0) number = count - 1.0;
    return static_cast<std::int32_t>(number);
  }
};

/// Sorts stars into cells, and owns the memory of the CellsView.
class StarCells {
 public:
  explicit StarCells(const Shape& shape) : view_(shape) {}

  template <class Star>
  void fill(const std::vector<Star>& stars) {
    begin_.assign(static_cast<std::size_t>(view_.count()) + 1, 0);
    number_.resize(stars.size());
    const auto cell_of = [&](const Star& star) { return static_cast<std::size_t>(view_.cell_of(star.x, star.y)); };
    for (const Star& star : stars) ++begin_[cell_of(star) + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    std::vector<std::int32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < stars.size(); ++i)
      number_[static_cast<std::size_t>(next[cell_of(stars[i])]++)] = static_cast<std::int32_t>(i);
    view_.begin = begin_.data();
    view_.number = number_.data();
  }

  const CellsView& view() const { return view_; }

 private:
  CellsView view_;
  std::vector<std::int32_t> begin_, number_;
};

}  // namespace srcextract
