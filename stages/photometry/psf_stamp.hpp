#pragma once

#include <cmath>
#include <cstdint>

#include "stages/math/psf_model.hpp"
#include "stages/photometry/aperture_box.hpp"

namespace srcextract {

/// Draws the PSF of one star on the image's pixels (a stamp), in working memory of the lanes (Lanes::scratch). A border
/// of zeros surrounds the pixels that the PSF's mask covers, so that differences of neighbours need no test for the
/// edge.
///
/// The mask (the PSF model's own pixel grid, see PsfModel) is resampled as in SExtractor: by lanczos_taps(), first
/// along x, then along y. Outside the mask the PSF is 0. Values are not multiplied by the area of the mask's pixels.
template <class Lanes>
class PsfStamp {
 public:
  static constexpr int border = 2;

  /// Number of doubles of working memory for `stamps` stamps.
  static SRCEXTRACT_HOST_DEVICE int numbers_for(const PsfModel& model, int stamps) {
    return static_cast<int>(numbers_before_stamps(model) + stamps * stamp_size(model));
  }

  SRCEXTRACT_HOST_DEVICE PsfStamp(const PsfModel& model, double* memory)
      : model_(model), across_(row_size(model)), stride_(across_ + 16) {
    basis_ = memory;
    taps_x_ = basis_ + PsfModel::most_terms;
    taps_y_ = taps_x_ + tap_size * model.wide();
    local_ = taps_y_ + tap_size * model.high();
    along_x_ = local_ + model.plane();
    stamps_ = memory + numbers_before_stamps(model);
  }

  /// Evaluates the terms of the PSF's polynomial at a star's position (x, y), in pixels from 0.
  SRCEXTRACT_HOST_DEVICE void go_to(const Lanes& lanes, double x, double y) const {
    lanes.each(model_.terms, [&](int i) { basis_[i] = model_.term(i, x + 1, y + 1); });
  }

  /// Computes the mask at the star's position: the sum of `planes` (PsfModel::light() or spread()), each times its
  /// polynomial term. draw() uses this mask until the next call of take().
  SRCEXTRACT_HOST_DEVICE void take(const Lanes& lanes, const double* planes) const {
    const int plane = model_.plane(), terms = model_.terms;
    lanes.each_block(plane, [&](int i) {
      double sum[Lanes::width] = {};
      for (int k = 0; k < terms; ++k) {
        const double factor = basis_[k];
        const double* const from = planes + std::int64_t{k} * plane + i;
        for (int j = 0; j < Lanes::width; ++j) sum[j] += factor * from[j];
      }
      for (int j = 0; j < Lanes::width; ++j) local_[i + j] = sum[j];
    });
  }

  /// Draws stamp number `which` for a star at (x, y), limited to a box of the image.
  SRCEXTRACT_HOST_DEVICE void draw(const Lanes& lanes, double x, double y, const ApertureBox& box, int which = 0) {
    const bool anywhere = place(x, model_.middle_x(), model_.columns, box.x_begin, box.x_end, begin_x_, size_x_) &&
                          place(y, model_.middle_y(), model_.rows, box.y_begin, box.y_end, begin_y_, size_y_);
    if (!anywhere) size_x_ = size_y_ = 0;
    find_taps(lanes, x, model_.middle_x(), model_.columns, begin_x_, size_x_, taps_x_);
    find_taps(lanes, y, model_.middle_y(), model_.rows, begin_y_, size_y_, taps_y_);
    resample_x(lanes);
    resample_y(lanes, stamp(which));
  }

  /// Returns the address of the value of stamp `which` at pixel (x, y) of the image. The pixel may be up to border - 1
  /// pixels outside the stamp. The values of the next pixels of the row follow; at most Lanes::width values may be
  /// read.
  SRCEXTRACT_HOST_DEVICE const double* at(std::int32_t x, std::int32_t y, int which = 0) const {
    return stamp(which) + (y - begin_y_ + border) * stride_ + (x - begin_x_ + border);
  }
  /// Number of elements from a row of a stamp to the next row.
  SRCEXTRACT_HOST_DEVICE std::int64_t stride() const { return stride_; }

  /// Returns the part of a box that is covered by the stamp, enlarged by `margin` pixels on each side.
  SRCEXTRACT_HOST_DEVICE ApertureBox covered(ApertureBox box, int margin) const {
    if (size_x_ == 0 || size_y_ == 0) return {box.x_begin, box.x_begin, box.y_begin, box.y_begin, box.cut};
    const auto cut = [](std::int32_t from, std::int32_t to, std::int32_t& begin, std::int32_t& end) {
      if (begin < from) begin = from;
      if (end > to) end = to;
      if (end < begin) end = begin;
    };
    cut(begin_x_ - margin, begin_x_ + size_x_ + margin, box.x_begin, box.x_end);
    cut(begin_y_ - margin, begin_y_ + size_y_ + margin, box.y_begin, box.y_end);
    return box;
  }

 private:
  /// numbers per pixel: the first mask pixel, then the weights
  static constexpr std::int64_t tap_size = PsfModel::taps + 1;

  static SRCEXTRACT_HOST_DEVICE std::int64_t row_size(const PsfModel& model) {
    return PsfModel::padded(model.wide() + border);
  }
  static SRCEXTRACT_HOST_DEVICE std::int64_t numbers_before_stamps(const PsfModel& model) {
    return PsfModel::most_terms + tap_size * (model.wide() + model.high()) + model.plane() +
           model.rows * row_size(model);
  }
  static SRCEXTRACT_HOST_DEVICE std::int64_t stamp_size(const PsfModel& model) {
    return (model.high() + 2 * border + 1) * (row_size(model) + 16);
  }

  SRCEXTRACT_HOST_DEVICE double* stamp(int which) const { return stamps_ + which * stamp_size(model_); }

  /// Finds along one axis the pixels in [least, most) that the mask covers for a star at `at`. Returns false if there
  /// are none, or if `at` is NaN or huge.
  SRCEXTRACT_HOST_DEVICE bool place(double at, int middle, int size, std::int32_t least, std::int32_t most,
                                    std::int32_t& begin, std::int32_t& count) const {
    constexpr double furthest = 1 << 30;
    if (!(at > -furthest && at < furthest)) return false;
    begin = static_cast<std::int32_t>(std::ceil(at - middle * model_.step));
    auto end = static_cast<std::int32_t>(std::floor(at + (size - 1 - middle) * model_.step)) + 1;
    if (begin < least) begin = least;
    if (end > most) end = most;
    const int room = static_cast<int>((size - 1) * model_.step) + 2;
    count = end - begin < room ? end - begin : room;
    return count > 0;
  }

  SRCEXTRACT_HOST_DEVICE void find_taps(const Lanes& lanes, double at, int middle, int size, std::int32_t begin,
                                        std::int32_t count, double* taps) const {
    lanes.each(count, [&](int i) {
      double* const own = taps + tap_size * i;
      own[0] = lanczos_taps(middle + (begin + i - at) / model_.step, size, own + 1);
    });
  }

  /// Number of columns that are filled: the stamp's columns and the zeros to the right, rounded up to a multiple of 16.
  /// Zeros to the left are not included.
  SRCEXTRACT_HOST_DEVICE int filled() const { return PsfModel::padded(size_x_ + border); }

  /// Resamples along x, to the columns of the image, those rows of the mask that the stamp needs.
  SRCEXTRACT_HOST_DEVICE void resample_x(const Lanes& lanes) const {
    if (size_y_ == 0) return;
    const std::int64_t rows = model_.rows;
    const int first = static_cast<int>(taps_y_[0]);
    const int needed = static_cast<int>(taps_y_[tap_size * (size_y_ - 1)]) + PsfModel::taps - first;
    const int blocks = (needed + Lanes::width - 1) / Lanes::width;
    lanes.each(filled() * blocks, [&](int task) {
      const int x = task / blocks, row = first + task % blocks * Lanes::width;
      double sum[Lanes::width] = {};
      if (x < size_x_) {
        const double* const taps = taps_x_ + tap_size * x;
        const double* const from = local_ + static_cast<int>(taps[0]) * rows + row;
        for (int k = 0; k < PsfModel::taps; ++k) {
          const double weight = taps[1 + k];
          for (int j = 0; j < Lanes::width; ++j) sum[j] += weight * from[k * rows + j];
        }
      }
      for (int j = 0; j < Lanes::width && row + j < rows; ++j) along_x_[(row + j) * across_ + x] = sum[j];
    });
  }

  SRCEXTRACT_HOST_DEVICE void resample_y(const Lanes& lanes, double* out) const {
    const int columns = filled(), blocks = columns / Lanes::width;
    lanes.each((size_y_ + 2 * border) * blocks, [&](int task) {
      const int y = task / blocks - border, block = task % blocks * Lanes::width;
      double sum[Lanes::width] = {};
      if (y >= 0 && y < size_y_) {
        const double* const taps = taps_y_ + tap_size * y;
        const double* const from = along_x_ + static_cast<int>(taps[0]) * across_ + block;
        for (int k = 0; k < PsfModel::taps; ++k) {
          const double weight = taps[1 + k];
          for (int j = 0; j < Lanes::width; ++j) sum[j] += weight * from[k * across_ + j];
        }
      }
      double* const to = out + (y + border) * stride_ + block;
      for (int j = 0; j < Lanes::width; ++j) to[border + j] = sum[j];
      if (block == 0)
        for (int j = 0; j < border; ++j) out[(y + border) * stride_ + j] = 0;
    });
  }

  PsfModel model_;
  std::int64_t across_, stride_;  ///< row length of the mask resampled along x, and of a stamp, in doubles
  double *basis_, *taps_x_, *taps_y_, *local_, *along_x_, *stamps_;
  std::int32_t begin_x_ = 0, begin_y_ = 0, size_x_ = 0, size_y_ = 0;
};

}  // namespace srcextract
