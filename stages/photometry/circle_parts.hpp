#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/math/near_sqrt.hpp"
#include "stages/photometry/aperture_box.hpp"
#include "stages/photometry/circle_overlap.hpp"

namespace srcextract {

/// Number of rows in a band. The pixels of a circle are summed band by band.
inline constexpr std::int32_t band_rows = 32;

/// Returns the band that begins at row y of a box. The band has `band_rows` rows, or fewer at the end of the box.
SRCEXTRACT_HOST_DEVICE inline ApertureBox band_at(const ApertureBox& box, std::int32_t y) {
  ApertureBox band = box;
  band.y_begin = y;
  band.y_end = box.y_end - y < band_rows ? box.y_end : y + band_rows;
  return band;
}

/// Finds, on the host, the fraction of each pixel of a band that is inside a circle. In each row the circle's edge
/// crosses only a few pixels on the left and on the right. These edge pixels are gathered from all rows of the band, so
/// that vector instructions compute their fractions together.
template <int Width>
class CircleParts {
 public:
  /// Finds the fractions for a PlacedCircle, and overwrites the results of an earlier call.
  template <class Circle>
  void find(const ApertureBox& band, const Circle& circle) {
    columns_ = band.x_end - band.x_begin;
    stride_ = (columns_ + Width - 1) / Width * Width;
    const int rows = band.y_end - band.y_begin;
    grow(parts_, static_cast<std::size_t>(stride_) * static_cast<std::size_t>(rows));
    grow(across_, static_cast<std::size_t>(stride_) + Width);
    for (std::int32_t at = 0; at < stride_ + Width; at += Width)
      for (int i = 0; i < Width; ++i) across_.data()[at + i] = circle.across(band.x_begin + at + i);
    find_runs(band, circle);
    make_room(rows);
    int gathered = 0;
    for (int row = 0; row < rows; ++row) {
      fill(row);
      gathered = gather(row, begin_[row], whole_begin_[row], gathered);
      gathered = gather(row, whole_end_[row], end_[row], gathered);
    }
    look_at(gathered, circle.overlap);
  }

  /// The blocks [first_block, last_block) of a row are the blocks of Width pixels that the circle reaches.
  int first_block(int row) const { return begin_[row] / Width; }
  int last_block(int row) const { return (end_[row] + Width - 1) / Width; }

  /// across(): distances in x of a block's pixels from the circle's centre. parts(): fraction of each pixel of a block
  /// that is inside the circle.
  const float* across(int block) const { return across_.data() + static_cast<std::ptrdiff_t>(block) * Width; }
  const float* parts(int row, int block) const {
    return parts_.data() + static_cast<std::ptrdiff_t>(row) * stride_ + static_cast<std::ptrdiff_t>(block) * Width;
  }

 private:
  /// Finds for each row the columns that the circle reaches, and the columns whose pixels are well inside. A margin for
  /// rounding enlarges the first range and reduces the second.
  template <class Circle>
  void find_runs(const ApertureBox& band, const Circle& circle) {
    const float reach = circle.overlap.reach(), core = circle.overlap.core(), margin = 1e-5F * (reach + 1);
    const auto middle = static_cast<float>(circle.cx - band.x_begin), last = static_cast<float>(columns_);
    for (int row = 0; row < band_rows; ++row) {
      down_[row] = circle.down(band.y_begin + row);
      const float square = down_[row] * down_[row], out2 = reach * reach - square, in2 = core * core - square;
      const float out = near_sqrt(out2 > 0 ? out2 : 0) + margin, in = near_sqrt(in2 > 0 ? in2 : 0) - margin;
      const auto within = [](float x, float low, float high) { return x > low ? (x < high ? x : high) : low; };
      const float begin = within(std::ceil(middle - out), 0, last);
      const float end = within(std::floor(middle + out) + 1, begin, last);
      const float whole_begin = within(in > 0 ? std::ceil(middle - in) : end, begin, end);
      const float whole_end = within(in > 0 ? std::floor(middle + in) + 1 : end, whole_begin, end);
      begin_[row] = static_cast<std::int32_t>(begin);
      end_[row] = static_cast<std::int32_t>(end);
      whole_begin_[row] = static_cast<std::int32_t>(whole_begin);
      whole_end_[row] = static_cast<std::int32_t>(whole_end);
    }
  }

  /// Enlarges a vector to at least `size` elements; existing elements are kept.
  template <class T>
  static void grow(std::vector<T>& values, std::size_t size) {
    if (values.size() < size) values.resize(size);
  }

  /// Enlarges the vectors for all edge pixels of the band, plus one block that vector instructions may read or write
  /// past the end.
  void make_room(int rows) {
    std::size_t most = std::size_t{2} * Width;
    for (int row = 0; row < rows; ++row)
      most += static_cast<std::size_t>(end_[row] - begin_[row] - (whole_end_[row] - whole_begin_[row]));
    grow(dx_, most);
    grow(dy_, most);
    grow(place_, most);
  }

  void fill(int row) {
    float* const parts = parts_.data() + static_cast<std::ptrdiff_t>(row) * stride_;
    const std::int32_t whole_begin = whole_begin_[row], whole_end = whole_end_[row], end = end_[row];
    for (std::int32_t at = begin_[row] / Width * Width; at < end; at += Width)
      for (int i = 0; i < Width; ++i) parts[at + i] = at + i >= whole_begin && at + i < whole_end ? 1.0F : 0.0F;
  }

  int gather(int row, std::int32_t begin, std::int32_t end, int gathered) {
    constexpr std::int32_t at_once = Width / 2;
    for (std::int32_t at = begin; at < end; at += at_once) {
      const float* const from = across_.data() + at;
      float *const dx = dx_.data() + gathered, *const dy = dy_.data() + gathered;
      std::int32_t* const place = place_.data() + gathered;
      for (int i = 0; i < at_once; ++i) {
        dx[i] = from[i];
        dy[i] = down_[row];
        place[i] = row * stride_ + at + i;
      }
      gathered += std::min(end - at, at_once);
    }
    return gathered;
  }

  template <int Side>
  void look_at(int gathered, const CircleOverlap<Side>& overlap) {
    for (int begin = 0; begin < gathered; begin += Width) {
      float dx[Width], dy[Width], parts[Width];
      for (int i = 0; i < Width; ++i) {
        dx[i] = dx_.data()[begin + i];
        dy[i] = dy_.data()[begin + i];
      }
      overlap.parts(dx, dy, parts);
      const int left = std::min(gathered - begin, Width);
      for (int i = 0; i < left; ++i) parts_.data()[place_.data()[begin + i]] = parts[i];
    }
  }

  std::int32_t columns_ = 0, stride_ = 0;
  float down_[band_rows] = {};
  std::int32_t begin_[band_rows] = {}, whole_begin_[band_rows] = {}, whole_end_[band_rows] = {}, end_[band_rows] = {};
  std::vector<float> across_, parts_;
  std::vector<float> dx_, dy_;  // offsets of the gathered pixels
  std::vector<std::int32_t> place_;
};

}  // namespace srcextract
