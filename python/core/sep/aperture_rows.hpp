#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "python/core/sep/ellipse.hpp"

// Sums over the apertures of SEP. Geometry is in double, pixels may be, and an aperture may be an ellipse or a ring
// with sub-pixels of any number, so these are not the sums of stages/photometry/lanes.hpp.

namespace srcextract::python {

/// The sums over an aperture's pixels, each times its part inside.
struct ApertureSums {
  double light = 0, variance = 0;
  double area = 0;         ///< with hidden pixels
  double masked_area = 0;  ///< of hidden pixels
  bool has_masked = false;
};

/// The sums under a window. A weight is the pixel's part times the window there.
struct WindowSums {
  double light = 0, x = 0, y = 0;                 ///< weight times pixel, and its moments about the centre
  double all = 0, area = 0;                       ///< part times pixel, and part; 0 if no pixel can be hidden
  double masked = 0, masked_x = 0, masked_y = 0;  ///< weights of hidden pixels, and their moments
  bool has_masked = false;
};

/// The pixels of a band of rows in double. Rows are padded to whole blocks; padding has no part in an aperture.
struct BandOfRows {
  static constexpr std::int64_t block = 8;  ///< pixels that are added together; one partial sum for each
  static constexpr std::int64_t most_rows = 32;

  SepBox box;
  std::int64_t stride = 0;
  const double* value = nullptr;
  const double* variance = nullptr;                     ///< null: the same everywhere
  const double* hidden = nullptr;                       ///< 1: masked or of another source; null: none is
  const double* part = nullptr;                         ///< part in the aperture, -1 beyond its reach
  const std::int32_t *begin = nullptr, *end = nullptr;  ///< of each row, columns of the blocks that are in reach

  std::int64_t rows() const { return box.y_end - box.y_begin; }
};

/// The pixels at an edge of an aperture.
struct EdgePixels {
  double *across, *down;  ///< offsets from the centre
  std::int32_t* place;    ///< number in the band
};

/// The sums of one aperture after the other. The order of additions is fixed: pixels of a box whose columns are equal
/// modulo the block belong to one partial sum, so a result does not depend on the processor. One thread uses it.
class ApertureRows {
 public:
  explicit ApertureRows(const SepImage& image) : image_(image) {}

  /// The sums over an aperture of a source, in its box.
  ApertureSums sum(const SepAnnulus& annulus, const SepBox& box, std::int64_t source);

  /// Kron's sums over the pixels of an ellipse of size r: light, and light times distance (in `variance`). Hidden
  /// pixels have no light.
  ApertureSums sum_moments(const SepEllipse& ellipse, double r, const SepBox& box, std::int64_t source);

  /// The sums under a Gaussian about the centre of a circle.
  WindowSums sum_window(const SepAnnulus& circle, double sigma, const SepBox& box, std::int64_t source);

  /// Calls f(band) for the bands of a box, with the pixels as `source` sees them.
  template <class F>
  void for_each_band(const SepBox& box, std::int64_t source, const F& f) {
    if (box.empty()) return;
    SepBox band = box;
    for (band.y_begin = box.y_begin; band.y_begin < box.y_end; band.y_begin = band.y_end) {
      stop_if_asked();
      band.y_end = std::min(box.y_end, band.y_begin + BandOfRows::most_rows);
      read(band, source);
      f(static_cast<const BandOfRows&>(band_));
    }
  }

  /// Calls f(value, part, whether it is hidden) for the pixels of an aperture, row by row.
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
  void read(const SepBox& band, std::int64_t source);
  void find_rows(const SepEllipse& ellipse, double square);
  void find_parts(const SepAnnulus& annulus);

  const SepImage& image_;
  BandOfRows band_;
  std::vector<double> value_, variance_, hidden_, part_;
  std::vector<std::int32_t> begin_ = std::vector<std::int32_t>(BandOfRows::most_rows), end_ = begin_;
  std::vector<double> across_, down_, edge_part_;  ///< of pixels at an edge
  std::vector<std::int32_t> place_;
  std::vector<double> columns_;  ///< the window along x
};

}  // namespace srcextract::python
