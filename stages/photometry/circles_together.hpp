#pragma once

#include <cmath>
#include <cstdint>

#include "stages/photometry/lanes.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/photometry/photometry_image.hpp"
#include "stages/photometry/source_shape.hpp"
#include "stages/settings/measurement.hpp"

namespace srcextract {

/// Sums light and variance in several circles about one centre, on the host, in one pass over the pixels of the largest
/// circle. Every pixel is read once. Radii ascend: the circles whose edges cross a pixel are consecutive, and all
/// larger circles contain the whole pixel. Vector instructions process several radii at once.
///
/// The sums equal those of one circle after another (CircleFamily::measure()) to the last bit. A lane (one of 32
/// partial sums, see HostLanes::sum) adds the same pixels in the same order, and else adds zeros. The tree that adds up
/// the lanes is the same, whichever lane contains a circle's first column.
class CirclesTogether {
 public:
  /// `radii` are `count` radii in ascending order, in pixels.
  CirclesTogether(const float* radii, int count)
      : count_(count),
        stride_(count < dense ? 1 : dense_stride),
        groups_((count + stride_ - 1) / stride_),
        pitch_((count + 2 * window) / window * window) {
    for (int k = 0; k < count; ++k) {
      const float r = radii[k], outer = r + 0.75F, inner = r - 0.75F > 0 ? r - 0.75F : 0;
      radius_[k] = r;
      radius2_[k] = r * r;
      outer2_[k] = outer * outer;
      inner2_[k] = inner * inner;
    }
    for (int k = count; k < pitch_; ++k) {
      radius2_[k] = 0;
      inner2_[k] = -1;
    }
    for (int m = 0; m < groups_; ++m) {
      const int last = (m + 1) * stride_ - 1;
      reach2_[m] = outer2_[last < count ? last : count - 1];
    }
  }

  /// Whether the box of a circle of this radius contains every pixel that the circle overlaps. A margin of at least
  /// 0.05 pixel remains after rounding. If true, the boxes of smaller circles about this centre need not be computed.
  static bool can_measure(float cx, float cy, float radius) {
    constexpr float far = 1 << 17;
    return std::fabs(cx) + radius < far && std::fabs(cy) + radius < far;
  }

  /// Measures all circles about a source, and calls keep(k, light, variance, cut) for every circle k.
  template <class Keep>
  void measure(const HostLanes& lanes, const PhotometryImage& image, const MeasuredSource& source, const Keep& keep) {
    const auto cx = static_cast<float>(source.shape.x), cy = static_cast<float>(source.shape.y);
    const ApertureBox box = box_of_circle(cx, cy, radius_[count_ - 1], image);
    lanes.reach(box);
    // Fractions of pixels are multiples of 2^-28, so sums of fewer than 2^25 fractions are exact in any order.
    constexpr std::int64_t exact_area = 1 << 24;
    const std::int64_t area = static_cast<std::int64_t>(box.x_end - box.x_begin) * (box.y_end - box.y_begin);
    clear(light_);
    if (image.variance != nullptr || area > exact_area) {
      clear(variance_);
      walk<true>(image, source, box);
      add_lanes(variance_);
    } else {
      for (int k = 0; k < pitch_; ++k) {
        variance_[k] = 0;
        whole_from_[k] = 0;
      }
      walk<false>(image, source, box);
      std::int64_t whole = 0;
      for (int k = 0; k < count_; ++k) {
        whole += whole_from_[k];
        variance_[k] += static_cast<double>(whole);
      }
    }
    add_lanes(light_);
    for (int k = 0; k < count_; ++k) keep(k, light_[k], variance_[k], box_of_circle(cx, cy, radius_[k], image).cut);
  }

 private:
  /// window: number of radii that are processed at once
  static constexpr int side = 5, block = HostLanes::width, window = 16;
  static constexpr int most = (most_apertures + 2 * window) / window * window;
  /// For each pixel, the smallest circle that reaches the pixel is searched. With fewer than `dense` circles the search
  /// advances by one circle at a time. With more circles, several cross every pixel, and the search advances by
  /// dense_stride circles.
  static constexpr int dense = 32, dense_stride = 8;

  /// A block of pixels of a row, with the squared distance from the centre of each pixel and of each sub-pixel.
  struct Block {
    float distance[block], square[side * side][block];
    ApertureSamples<block> samples;
  };

  void clear(double* sums) const {
    for (int i = 0; i < lane_count * pitch_; ++i) sums[i] = 0;
  }

  void add_lanes(double* sums) const {
    for (int half = lane_count / 2; half > 0; half /= 2)
      for (int i = 0; i < half * pitch_; ++i) sums[i] += sums[half * pitch_ + i];
  }

  template <bool Mapped>
  void walk(const PhotometryImage& image, const MeasuredSource& source, const ApertureBox& box) {
    const auto cx = static_cast<float>(source.shape.x), cy = static_cast<float>(source.shape.y);
    int nearest = groups_;
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      const float dy = static_cast<float>(y) - cy;
      for (std::int32_t x = box.x_begin; x < box.x_end; x += block) {
        const int size = box.x_end - x < block ? box.x_end - x : block;
        Block pixels;
        if (!look(image, source.number, cx, cy, x, y, size, dy, pixels)) continue;
        for (int i = 0; i < block; ++i) pixels.samples.value[i] -= source.local_sky;
        const int first_lane = (x - box.x_begin) % lane_count;
        for (int i = 0; i < size; ++i) {
          const float distance = pixels.distance[i];
          while (nearest < groups_ && !(distance < reach2_[nearest])) ++nearest;
          while (nearest > 0 && distance < reach2_[nearest - 1]) --nearest;
          if (nearest < groups_) add_pixel<Mapped>(pixels, i, nearest * stride_, (first_lane + i) * pitch_);
        }
      }
    }
  }

  /// Returns whether any pixel of the block is within reach of the largest circle. If none is, `pixels` is not filled
  /// completely.
  bool look(const PhotometryImage& image, std::int32_t number, float cx, float cy, std::int32_t x, std::int32_t y,
            int size, float dy, Block& pixels) const {
    constexpr float step = 1.0F / side, first = 0.5F * (step - 1);
    const float outermost = outer2_[count_ - 1];
    float u[block], u2[side][block];
    std::int32_t wanted[block], any_wanted = 0;
    for (int i = 0; i < block; ++i) {
      const float dx = static_cast<float>(x + i) - cx;
      u[i] = dx + first;
      pixels.distance[i] = dx * dx + dy * dy;
      any_wanted |= wanted[i] = i < size && pixels.distance[i] < outermost ? 1 : 0;
    }
    if (any_wanted == 0) return false;
    for (int k = 0; k < side; ++k) {
      for (int i = 0; i < block; ++i) {
        u2[k][i] = u[i] * u[i];
        u[i] += step;
      }
    }
    float v = dy + first;
    for (int j = 0; j < side; ++j, v += step) {
      const float v2 = v * v;
      for (int k = 0; k < side; ++k)
        for (int i = 0; i < block; ++i) pixels.square[j * side + k][i] = u2[k][i] + v2;
    }
    pixels.samples = image.samples(x, y, size, number, cx, cy, wanted);
    return true;
  }

  /// Adds pixel i of the block to circle k and all larger circles. `lane` is the index in light_ and variance_ of the
  /// first sum of the pixel's lane.
  template <bool Mapped>
  void add_pixel(const Block& pixels, int i, int k, int lane) {
    const double value = pixels.samples.value[i], variance = pixels.samples.variance[i];
    const float distance = pixels.distance[i];
    for (; k < count_ && !(distance <= inner2_[k]); k += window) {
      float weight[window];
      weigh(pixels, i, k, weight);
      add_weighted(weight, value, light_ + lane + k);
      if constexpr (Mapped) {
        add_weighted(weight, variance, variance_ + lane + k);
      } else {
        for (int r = 0; r < window; ++r) variance_[k + r] += static_cast<double>(weight[r]);
      }
    }
    if (k >= count_) return;
    add_whole(value, k, light_ + lane);
    if constexpr (Mapped) {
      add_whole(variance, k, variance_ + lane);
    } else {
      ++whole_from_[k];
    }
  }

  /// Sets weight[r] to the fraction of pixel i that is in circle k + r, with the result of CircleOverlap.
  void weigh(const Block& pixels, int i, int k, float (&weight)[window]) const {
    constexpr float step = 1.0F / side;
    std::int32_t inside[window] = {};
    for (int j = 0; j < side; ++j)
      for (int s = 0; s < side; ++s)
        for (int r = 0; r < window; ++r) inside[r] += pixels.square[j * side + s][i] < radius2_[k + r] ? 1 : 0;
    for (int r = 0; r < window; ++r) {
      const float counted = static_cast<float>(inside[r]) * (step * step);
      weight[r] = pixels.distance[i] <= inner2_[k + r] ? 1 : counted;
    }
  }

  static void add_weighted(const float (&weight)[window], double number, double* sums) {
    for (int r = 0; r < window; ++r) sums[r] += weight[r] > 0 ? weight[r] * number : 0;
  }

  void add_whole(double number, int k, double* sums) const {
    constexpr int at_once = 8;
    for (; k < count_; k += at_once)
      for (int r = 0; r < at_once; ++r) sums[k + r] += number;
  }

  int count_, stride_, groups_, pitch_;
  float radius_[most], radius2_[most], outer2_[most], inner2_[most];
  float reach2_[most];               ///< the largest outer2_ in each group of `stride_` circles
  double light_[lane_count * most];  ///< one sum per circle and lane: lane l begins at index l * pitch_
  double variance_[lane_count * most];
  std::int64_t whole_from_[most];  ///< number of pixels that are whole in this circle, but not in smaller circles
};

}  // namespace srcextract
