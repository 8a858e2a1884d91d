#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The pixels [x_begin, x_end) of rows [y_begin, y_end), all of them in the image.
struct ApertureBox {
  std::int32_t x_begin, x_end, y_begin, y_end;
  bool cut;  ///< the image ends before the aperture does
};

/// An edge of a box, truncated towards zero, at most one pixel outside of an image of that size; NaN is outside.
SRCEXTRACT_HOST_DEVICE inline std::int32_t box_edge(double edge, std::int32_t size) {
  if (!(edge > -1)) return -1;
  return edge >= size + 1.0 ? size + 1 : static_cast<std::int32_t>(edge);
}

/// What of that box is in the image.
SRCEXTRACT_HOST_DEVICE inline ApertureBox box_within(double left, double right, double top, double bottom,
                                                     std::int32_t width, std::int32_t height) {
  const std::int32_t x_begin = box_edge(left, width), x_end = box_edge(right, width);
  const std::int32_t y_begin = box_edge(top, height), y_end = box_edge(bottom, height);
  ApertureBox box{x_begin > 0 ? x_begin : 0, x_end < width ? x_end : width, y_begin > 0 ? y_begin : 0,
                  y_end < height ? y_end : height, x_begin < 0 || y_begin < 0 || x_end > width || y_end > height};
  if (box.x_end < box.x_begin) box.x_end = box.x_begin;
  if (box.y_end < box.y_begin) box.y_end = box.y_begin;
  return box;
}

/// What a pixel adds to N sums, and these. Integers up to 2^53 are exact.
template <int N>
struct Sums {
  double of[N];
};

/// Columns of partial sums that a sum over a box has.
inline constexpr int lane_count = 32;

/// Real numbers as multiples of a quantum, a power of two, so that they add up to the same in any order.
struct FixedPoint {
  double quantum;

  SRCEXTRACT_HOST_DEVICE std::int64_t of(double value) const {
    const double scaled = value / quantum;
    return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  }
  SRCEXTRACT_HOST_DEVICE double value(std::int64_t sum) const { return static_cast<double>(sum) * quantum; }
};

/// Most bins of a histogram over a box.
inline constexpr int most_bins = 64;

/// How a family of measurements (stages/photometry/families.hpp) goes through the pixels of a box, on the host. On a
/// device a warp does (cuda/photometry/warp_lanes.hpp), to the same bits: all that a family computes besides is
/// computed by every thread of it alike, so that its source is the same for both.
class HostLanes {
 public:
  /// The sums over the box of what f(x, y) returns, a Sums<N>. The order is part of the specification: lane l has the
  /// columns x with (x - x_begin) mod 32 = l and adds their pixels row by row, in a row from left to right; then lanes
  /// l and l + 16 are added, of these l and l + 8, and so on: a tree of 16, 8, 4, 2, 1.
  template <int N, class F>
  Sums<N> sum(const ApertureBox& box, const F& f) const {
    double lanes[N][lane_count] = {};
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t first = box.x_begin; first < box.x_end; first += lane_count) {
        const std::int32_t count = box.x_end - first < lane_count ? box.x_end - first : lane_count;
        for (std::int32_t lane = 0; lane < count; ++lane) {
          const Sums<N> pixel = f(first + lane, y);
          for (int k = 0; k < N; ++k) lanes[k][lane] += pixel.of[k];
        }
      }
    }
    Sums<N> sums;
    for (int k = 0; k < N; ++k) {
      for (int half = lane_count / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; ++lane) lanes[k][lane] += lanes[k][lane + half];
      sums.of[k] = lanes[k][0];
    }
    return sums;
  }

  /// The largest f(x, y) in a box, none of which is NaN; of an empty one the least number.
  template <class F>
  double max(const ApertureBox& box, const F& f) const {
    double largest = -std::numeric_limits<double>::max();
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t x = box.x_begin; x < box.x_end; ++x) {
        const double value = f(x, y);
        if (value > largest) largest = value;
      }
    }
    return largest;
  }

  /// Integers gathered in `count` <= most_bins bins, which begin empty: f(x, y, add) calls add(bin, integer) as often
  /// as it likes for every pixel of the box. They stay until the next call.
  template <class F>
  const std::int64_t* bins(int count, const ApertureBox& box, const F& f) const {
    for (int i = 0; i < count; ++i) bins_[i] = 0;
    const auto add = [this](int bin, std::int64_t value) { bins_[bin] += value; };
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y)
      for (std::int32_t x = box.x_begin; x < box.x_end; ++x) f(x, y, add);
    return bins_;
  }

 private:
  mutable std::int64_t bins_[most_bins] = {};
};

}  // namespace srcextract
