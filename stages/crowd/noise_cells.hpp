#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Squares of the image whose noise is measured one by one. Of each, every other pixel of every other row is a sample:
/// second differences of nearer pixels tell little more.
struct NoiseCells {
  static constexpr std::int64_t side = 16, step = 2, samples_across = side / step;
  static constexpr int samples = samples_across * samples_across, least_samples = 8;

  std::int64_t columns = 0, rows = 0;

  NoiseCells() = default;
  explicit NoiseCells(const Shape& shape)
      : columns((shape.width + side - 1) / side), rows((shape.height + side - 1) / side) {}

  SRCEXTRACT_HOST_DEVICE std::int64_t count() const { return columns * rows; }
  /// The place of a pixel among the quarters of cells, which are numbered row by row.
  SRCEXTRACT_HOST_DEVICE std::int64_t quarter(std::int64_t x, std::int64_t y) const {
    return y / (side / 2) * 2 * columns + x / (side / 2);
  }
  /// The rank of the median among `count` samples, the lower one of two.
  static SRCEXTRACT_HOST_DEVICE int middle(int count) { return (count - 1) / 2; }
  /// The pixel of a sample, which may lie beyond the right or the lower edge of the image.
  SRCEXTRACT_HOST_DEVICE std::int64_t x(std::int64_t cell, int sample) const {
    return cell % columns * side + sample % samples_across * step;
  }
  SRCEXTRACT_HOST_DEVICE std::int64_t y(std::int64_t cell, int sample) const {
    return cell / columns * side + sample / samples_across * step;
  }
};

/// The noise of a cell is the mean of the smaller three quarters of its ratios. It has smaller errors than the median,
/// and whole numbers do not change it. Ratios are summed as integers, so that their order does not matter.
struct CellNoise {
  static constexpr double unit = 1 << 16;

  /// The rank of the greatest ratio that counts.
  static SRCEXTRACT_HOST_DEVICE int last_rank(int count) { return (3 * count - 1) / 4; }
  static SRCEXTRACT_HOST_DEVICE std::uint64_t whole(float ratio) {
    constexpr float most = 1e6F;
    return static_cast<std::uint64_t>(static_cast<double>(ratio < most ? ratio : most) * unit);
  }
  /// The mean of `used` ratios of `count`; -1 if these are too few.
  static SRCEXTRACT_HOST_DEVICE float mean(std::uint64_t sum, int used, int count) {
    return count >= NoiseCells::least_samples ? static_cast<float>(static_cast<double>(sum) / unit / used) : -1.0F;
  }
};

/// Sets `scale`, the variance of each quarter of a cell in units of that of the typical cell. `near` and `far` are the
/// noise of the cells (CellNoise) that pixels tell which are 1 and 2 away; it is negative if not known.
///
/// A cell has the median of its neighbours, so that a cluster of stars does not change it, or 1 where that differs by
/// no more than its error may: even noise keeps one number. A quarter has the greatest of the four cells that it
/// touches, since a border of the noise goes through cells.
///
/// Where a part of the image was smoothed, its near pixels are alike, and tell too little noise. A cell that is quieter
/// than the typical one only for that, or noisier only because the typical one was smoothed, has 1 as well.
void follow_noise(const NoiseCells& cells, const std::vector<float>& near, const std::vector<float>& far,
                  std::vector<float>& scale);

}  // namespace srcextract
