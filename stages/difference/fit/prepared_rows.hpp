#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

/// Keeps three consecutive rows of a frame, above the sky, with a column of zeros at either edge. The rows move down
/// the frame.
class RowsAround {
 public:
  RowsAround(const ImageView& frame, const FrameLevel& level, std::int64_t first);

  /// Writes variance_at() for row y to `out`. y must be `first` in the first call, then one more than in the previous
  /// call. Returns whether row y has a bad pixel.
  bool variances(std::int64_t y, float* out);
  /// Points to row y above the sky, one of the rows from one above to one below the last row of variances(). Bad pixels
  /// are 0.
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
  std::vector<float> above_, good_, sky_;  ///< `sky_`: variances of the sky in one row
  bool bad_[kept] = {};
};

/// Rows of the convolved frame with a margin of half a kernel, rounded up to whole tiles: the light with bad pixels
/// filled, and the variance. Beyond the frame's edges the light is 0 and the variance that of the sky.
class PaddedRows {
 public:
  /// Allocates memory for `rows` rows and their margins.
  PaddedRows(const Image<float, Cpu>& frame, const FrameLevel& level, const KernelFit& fit, std::int64_t rows,
             const Cpu& where);

  /// Reads `rows` rows from row `first` on, and half a kernel of rows above and below.
  void read(std::int64_t first, std::int64_t rows);

  std::int64_t stride() const { return stride_; }
  /// Points to the values of row y - half of the frame, half a kernel left of its first pixel.
  const float* light(std::int64_t y) const { return light_.pixels.data() + (y - half_ - top_) * stride_; }
  const float* variance(std::int64_t y) const { return variance_.pixels.data() + (y - half_ - top_) * stride_; }
  /// Whether any of `rows` rows from row y - half on has a bad pixel.
  bool has_bad(std::int64_t y, std::int64_t rows) const {
    const auto first = bad_.begin() + (y - half_ - top_);
    return std::any_of(first, first + rows, [](char bad) { return bad != 0; });
  }

 private:
  float* row_of(Image<float, Cpu>& image, std::int64_t y) { return image.pixels.data() + (y - top_) * stride_; }
  void fill(std::int64_t y, float* light);
  /// Sets the variance of all pixels near a saturated pixel of rows [begin, end) to -infinity, in rows before `last`.
  /// The wings of a saturated star reach further than a kernel.
  void spread_saturation(std::int64_t begin, std::int64_t end, std::int64_t last);

  const ImageView frame_;
  const FrameLevel level_;
  std::int64_t half_, bloom_, stride_, top_ = 0;
  Image<float, Cpu> light_, variance_;
  std::vector<char> bad_;  ///< whether a row has bad pixels
};

}  // namespace srcextract
