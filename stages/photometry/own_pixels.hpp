#pragma once

#include <cstdint>

#include "stages/photometry/ellipse_flux.hpp"

namespace srcextract {

/// Width pixels of a row, with the scale of the source's ellipse through each pixel, and the values of the source's own
/// pixels. Here own pixels are all pixels that are neither bad nor part of another source.
template <int Width>
struct OwnBlock {
  EllipsePixels<Width> ellipse;
  OwnSamples<Width> sample;  ///< values of the own pixels within the limit
};

/// Reads a source's own pixels from the image in every call of block().
template <int Width>
class OwnPixels {
 public:
  SRCEXTRACT_HOST_DEVICE OwnPixels(const MeasuredSource& source, const PhotometryImage& image)
      : source_(source), image_(image) {}

  /// Does nothing; exists because templates call KeptOwnPixels::look_at() in the same way.
  template <class Lanes, class Box>
  SRCEXTRACT_HOST_DEVICE void look_at(const Lanes&, const ApertureBox&, const Box&) {}

  SRCEXTRACT_HOST_DEVICE OwnBlock<Width> block(std::int32_t x, std::int32_t y, int count, float limit) const {
    const auto ellipse = ellipse_pixels<Width>(source_.shape, x, y, count, limit);
    return {ellipse, image_.own_samples(x, y, count, source_.number, ellipse.in_reach)};
  }

 private:
  const MeasuredSource& source_;
  const PhotometryImage& image_;
};

/// Copies a source's own pixels on the host, for several boxes of which each contains the box before. The image is read
/// again only if a box reaches beyond the box that was copied last.
template <int Width>
class KeptOwnPixels {
 public:
  KeptOwnPixels(const MeasuredSource& source, const PhotometryImage& image) : source_(source), image_(image) {}

  /// Whether the buffers are large enough for the pixels of the box.
  static bool hold(const ApertureBox& box) {
    return stride_of(box) * (static_cast<std::int64_t>(box.y_end) - box.y_begin) <= room;
  }

  /// Ensures that the pixels of `box` are copied. If they are not, look_at() copies the pixels of the larger box
  /// further(), which must contain `box`.
  template <class Lanes, class Box>
  void look_at(const Lanes& lanes, const ApertureBox& box, const Box& further) {
    if (box.x_begin >= box_.x_begin && box.x_end <= box_.x_end && box.y_begin >= box_.y_begin &&
        box.y_end <= box_.y_end)
      return;
    box_ = further();
    lanes.reach(box_);
    stride_ = stride_of(box_);
    read();
  }

  OwnBlock<Width> block(std::int32_t x, std::int32_t y, int count, float limit) const {
    const std::int64_t at = (y - box_.y_begin) * stride_ + (x - box_.x_begin);
    OwnBlock<Width> block;
    auto& [ellipse, sample] = block;
    for (int i = 0; i < Width; ++i) ellipse.square[i] = square_[at + i];
    for (int i = 0; i < Width; ++i) ellipse.in_reach[i] = (i < count ? 1 : 0) & (ellipse.square[i] <= limit ? 1 : 0);
    for (int i = 0; i < Width; ++i) sample.own[i] = ellipse.in_reach[i] & own_[at + i];
    for (int i = 0; i < Width; ++i) sample.value[i] = value_[at + i];
    return block;
  }

 private:
  static constexpr std::int64_t room = 8192;

  static std::int64_t stride_of(const ApertureBox& box) {
    return (static_cast<std::int64_t>(box.x_end) - box.x_begin + Width - 1) / Width * Width;
  }

  void read() {
    std::int64_t to = 0;
    for (std::int32_t y = box_.y_begin; y < box_.y_end; ++y) {
      for (std::int32_t x = box_.x_begin; x < box_.x_end; x += Width, to += Width) {
        const int count = box_.x_end - x < Width ? box_.x_end - x : Width;
        std::int32_t wanted[Width];
        for (int i = 0; i < Width; ++i) wanted[i] = i < count ? 1 : 0;
        const auto sample = image_.own_samples(x, y, count, source_.number, wanted);
        for (int i = 0; i < Width; ++i) square_[to + i] = square_of_scale(source_.shape, x + i, y);
        for (int i = 0; i < Width; ++i) own_[to + i] = sample.own[i];
        for (int i = 0; i < Width; ++i) value_[to + i] = sample.value[i];
      }
    }
    for (int i = 0; i < Width; ++i) {  // a block that begins at the last pixel reads these elements
      square_[to + i] = 0;
      own_[to + i] = 0;
      value_[to + i] = 0;
    }
  }

  const MeasuredSource& source_;
  const PhotometryImage& image_;
  ApertureBox box_{0, -1, 0, -1, false};  ///< empty at first
  std::int64_t stride_ = 0;
  float square_[room + Width];  ///< row by row; the additional block is for reads that begin at the last pixel
  std::int32_t own_[room + Width];
  double value_[room + Width];
};

}  // namespace srcextract
