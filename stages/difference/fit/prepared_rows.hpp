#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

/// Keeps three consecutive rows of a frame, minus the sky, with a column of zeros on each side. Each call of
/// variances() moves on by one row.
class RowsAround {
 public:
  RowsAround(const ImageView& frame, const FrameLevel& level, std::int64_t first);

  /// Writes variance_at() of each pixel of row y to `out`. y must be the constructor's `first` in the first call, and
  /// then one more than in the previous call. Returns whether row y has a bad (masked or saturated) pixel.
  bool variances(std::int64_t y, float* out);
  /// Returns row y minus the sky; bad pixels are 0. y must be the row of the last call of variances(), or the row above
  /// or below.
  const float* light(std::int64_t y) { return above_of(y) + 1; }

 private:
  static constexpr std::int64_t kept = 3;
  static std::int64_t slot(std::int64_t y) { return (y + kept) % kept; }
  float* above_of(std::int64_t y) { return above_.data() + slot(y) * stride_; }
  float* good_of(std::int64_t y) { return good_.data() + slot(y) * stride_; }
  void read(std::int64_t y);

  const ImageView frame_;
  const FrameLevel level_;
  std::int64_t stride_;
  /// Three rows minus the sky; 1 for each good pixel of these rows, else 0; variance of the sky at each pixel of one
  /// row.
  std::vector<float> above_, good_, sky_;
  bool bad_[kept] = {};
};

/// Rows of the frame that will be convolved, with a margin of half a kernel on each side, and a width rounded up to
/// whole tiles (padded_shape). For each pixel the rows have the value minus the sky, with bad pixels filled
/// (filled_at), and the variance (variance_at). Beyond the frame's edges the value is 0 and the variance is that of the
/// sky.
class PaddedRows {
 public:
  /// Allocates memory for `rows` rows and their margins.
  PaddedRows(const Image<float, Cpu>& frame, const FrameLevel& level, const KernelFit& fit, std::int64_t rows,
             const Cpu& where);

  /// Reads the frame's rows [first, first + rows), and half a kernel of rows above and below.
  void read(std::int64_t first, std::int64_t rows);

  std::int64_t stride() const { return stride_; }
  /// light(y) and variance(y) return row y - half of the frame, where `half` is the kernel's half width. The first
  /// element is `half` columns to the left of the frame's first pixel.
  const float* light(std::int64_t y) const { return light_.pixels.data() + (y - half_ - top_) * stride_; }
  const float* variance(std::int64_t y) const { return variance_.pixels.data() + (y - half_ - top_) * stride_; }
  /// Whether any of the rows [y - half, y - half + rows) of the frame has a bad pixel, or a pixel within bloom_ pixels
  /// of a saturated pixel.
  bool has_bad(std::int64_t y, std::int64_t rows) const {
    const auto first = bad_.begin() + (y - half_ - top_);
    return std::any_of(first, first + rows, [](char bad) { return bad != 0; });
  }

 private:
  float* row_of(Image<float, Cpu>& image, std::int64_t y) { return image.pixels.data() + (y - top_) * stride_; }
  void fill(std::int64_t y, float* light);
  /// For each saturated pixel in the rows [begin, end): sets the variance of all pixels within bloom_ pixels to
  /// -infinity, in rows before `last`. Only masking the pixels under a kernel would not suffice, since the wings of a
  /// saturated star reach further than a kernel.
  void spread_saturation(std::int64_t begin, std::int64_t end, std::int64_t last);

  const ImageView frame_;
  const FrameLevel level_;
  std::int64_t half_, bloom_, stride_, top_ = 0;
  Image<float, Cpu> light_, variance_;
  std::vector<char> bad_;  ///< per row: 1 if the row has bad pixels or pixels near saturated ones, else 0
};

}  // namespace srcextract
