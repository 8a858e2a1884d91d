#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "python/core/sep/ellipse.hpp"

// Sums over apertures as SEP defines the sums. SExtractor's sums (stages/photometry/lanes.hpp) differ. Here geometry
// and pixels may be double, apertures may be ellipses or rings, and the number of sub-pixels is free.

namespace srcextract::python {

/// Sums over the pixels of an aperture. Each pixel is multiplied by the share of the pixel's area inside the aperture.
struct ApertureSums {
  double light = 0, variance = 0;
  double area = 0;         ///< total share, including hidden pixels (masked, or of another source)
  double masked_area = 0;  ///< total share of the hidden pixels
  bool has_masked = false;
};

/// Sums over an aperture with a Gaussian window. The weight of a pixel is the share of the pixel's area inside the
/// aperture, times the window.
struct WindowSums {
  /// Sum of weight times pixel, and the first moments of this product about the centre.
  double light = 0, x = 0, y = 0;
  /// Sum of share times pixel, and sum of shares, without hidden pixels. Both are 0 if no pixel of the box may be
  /// hidden.
  double all = 0, area = 0;
  /// Sum of the weights of hidden pixels, and the first moments of these weights about the centre.
  double masked = 0, masked_x = 0, masked_y = 0;
  bool has_masked = false;
};

/// Some adjacent rows of the box of an aperture, with pixels as double. Rows are padded to whole blocks of 8 pixels;
/// padding has no share in the aperture.
struct BandOfRows {
  static constexpr std::int64_t block = 8;  ///< pixels that are added at the same time, each to a separate partial sum
  static constexpr std::int64_t most_rows = 96;

  SepBox box;
  std::int64_t stride = 0;
  const double* value = nullptr;
  const double* variance = nullptr;  ///< null: all pixels have the same variance
  const double* hidden = nullptr;    ///< 1: masked, NaN, or of another source; null: no pixel is hidden
  const double* part = nullptr;      ///< share of the area inside the aperture; -1 if the pixel is out of reach
  /// By row: range of the columns whose blocks the aperture reaches.
  const std::int32_t *begin = nullptr, *end = nullptr;
  /// By row: the columns between, in blocks, whose pixels are all wholly inside the aperture. Empty if begin = end.
  const std::int32_t *inner_begin = nullptr, *inner_end = nullptr;

  std::int64_t rows() const { return box.y_end - box.y_begin; }
};

/// The pixels that the edge of an aperture crosses.
struct EdgePixels {
  double *across, *down;  ///< offsets of the pixel's centre from the aperture's centre in x and y
  std::int32_t* place;    ///< index of the pixel in the arrays of the band
};

/// Computes the sums of one aperture after the other. The order of additions is fixed: pixels of a box whose columns
/// are equal modulo 8 belong to the same partial sum. So results do not depend on the instruction set. Not thread-safe.
class ApertureRows {
 public:
  explicit ApertureRows(const SepImage& image) : image_(image) {}

  /// The sums over the pixels of `box` that are inside `annulus`, an aperture that belongs to `source`. Masked pixels,
  /// NaN and pixels of other sources are hidden. If `source` is negative, only pixels of the source -`source` count,
  /// not even pixels of no source.
  ApertureSums sum(const SepAnnulus& annulus, const SepBox& box, std::int64_t source);

  /// The sums for Kron's radius over the pixels inside an ellipse of size r: light, and light times elliptical distance
  /// (in `variance`). Hidden pixels are left out.
  ApertureSums sum_moments(const SepEllipse& ellipse, double r, const SepBox& box, std::int64_t source);

  /// The sums inside a circle, weighted with a Gaussian of width `sigma` about the circle's centre.
  WindowSums sum_window(const SepAnnulus& circle, double sigma, const SepBox& box, std::int64_t source);

  /// Whether pixels of a box may be hidden: there is a mask or a segmentation map, or a pixel is NaN.
  bool may_hide(const SepBox& box) const { return image_.mask || image_.segments != nullptr || has_nan(box); }

  /// Calls f(band) for each band of rows of a box. Pixels that do not count for `source` are hidden.
  template <class F>
  void for_each_band(const SepBox& box, std::int64_t source, const F& f) {
    if (box.empty()) return;
    SepBox band = box;
    // Rounds that move a window by less than a pixel ask for the same pixels again.
    const bool is_held =
        band_.value != nullptr && source == source_ && box.has_pixels_of(held_) && box.has_pixels_of(band_.box);
    // Asked of the whole box: all bands of an aperture have sums of the same kind.
    if (!is_held) may_hide_ = may_hide(box);
    held_ = box;
    for (band.y_begin = box.y_begin; band.y_begin < box.y_end; band.y_begin = band.y_end) {
      stop_if_asked();
      band.y_end = std::min(box.y_end, band.y_begin + BandOfRows::most_rows);
      if (!is_held) read(band, source);
      f(static_cast<const BandOfRows&>(band_));
    }
  }

  /// Calls f(value, share inside, whether the pixel is hidden) for the pixels that an aperture reaches, row by row.
  template <class F>
  void for_each_part(const SepAnnulus& annulus, const SepBox& box, std::int64_t source, const F& f) {
    for_each_band(box, source, [&](const BandOfRows& band) {
      find_parts(annulus);
      for (std::int64_t row = 0; row < band.rows(); ++row) {
        const std::int64_t first = row * band.stride;
        for (std::int64_t at = first + band.begin[row]; at < first + band.end[row]; ++at)
          if (band.part[at] >= 0) f(band.value[at], band.part[at], band.hidden != nullptr && band.hidden[at] > 0);
      }
    });
  }

 private:
  bool has_nan(const SepBox& box) const;
  void read(const SepBox& band, std::int64_t source);
  void find_rows(const SepEllipse& ellipse, double square, double inner_square);
  void find_parts(const SepAnnulus& annulus);
  void count_edge(const SepAnnulus& annulus, std::int64_t count);

  const SepImage& image_;
  BandOfRows band_;
  std::int64_t source_ = 0;  ///< whose pixels count in the band
  SepBox held_{};            ///< whose last band is held
  bool may_hide_ = false;
  std::vector<double> value_, variance_, hidden_, part_;
  std::vector<std::int32_t> begin_ = std::vector<std::int32_t>(BandOfRows::most_rows), end_ = begin_,
                            inner_begin_ = begin_, inner_end_ = begin_;
  /// Offsets from the centre, and shares, of the pixels at an edge of the aperture.
  std::vector<double> across_, down_, edge_part_;
  std::vector<std::int32_t> place_;
  std::vector<double> columns_;  ///< values of the window along x
};

}  // namespace srcextract::python
