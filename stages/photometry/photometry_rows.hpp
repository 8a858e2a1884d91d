#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "stages/core/rows_on_demand.hpp"
#include "stages/photometry/aperture_box.hpp"

namespace srcextract {

/// Keeps in memory the rows that one host thread reads while it measures sources. `images` are the on-demand images and
/// maps of an exposure, all with the same height.
class PhotometryRows {
 public:
  explicit PhotometryRows(std::vector<RowsOnDemand*> images, std::int64_t height)
      : images_(std::move(images)), height_(height) {}

  bool empty() const { return images_.empty(); }

  /// Keeps the rows of a box in memory, and also the rows of opposite pixels, mirrored at any centre in the box
  /// (MaskNeighbours::correct). Rows of earlier boxes are released.
  void reach(const ApertureBox& box) {
    const std::int64_t rows = std::max<std::int64_t>(box.y_end - box.y_begin, 0) + 2;
    const std::int64_t begin = std::clamp<std::int64_t>(box.y_begin - rows, 0, height_);
    const std::int64_t end = std::clamp<std::int64_t>(box.y_end + rows, begin, height_);
    if (begin >= begin_ && end <= end_) return;
    std::vector<HeldRows> held;
    for (RowsOnDemand* const rows_of_one : images_) held.emplace_back(rows_of_one, begin, end);
    held_ = std::move(held);
    begin_ = begin;
    end_ = end;
  }

 private:
  std::vector<RowsOnDemand*> images_;
  std::int64_t height_;
  std::vector<HeldRows> held_;
  std::int64_t begin_ = 0, end_ = 0;
};

}  // namespace srcextract
