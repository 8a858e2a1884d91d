#pragma once

#include <cstdint>

#include "python/core/sep/ellipse.hpp"

namespace srcextract::python {

/// Pixels of one row of an image that the edge of a circle crosses.
struct EdgeRow {
  double left, down;          ///< offset of column 0's centre from the circle's centre in x, and the row's offset in y
  std::int64_t first;         ///< the place of column 0
  std::int64_t count;         ///< number of pixels
  const std::int32_t* place;  ///< places of the pixels: `first` plus the column
};

/// Counts the sub-pixels inside a circle by chords: where each row of sub-pixels enters and leaves the circle. A chord
/// serves all pixels of its row, and needs one root in place of a comparison for each sub-pixel.
class CircleChords {
 public:
  static constexpr std::int64_t most_parts = 16;  ///< sub-pixels a side

  /// Whether chords take less time than comparisons, and find the same shares.
  static bool serve(const SepAnnulus& annulus) {
    constexpr std::int64_t least = 8;
    constexpr double furthest = 4096;  // beyond, rounding moves more than what count() takes for close
    return annulus.ellipse.circle && !annulus.is_ring() && annulus.sub_pixels >= least &&
           annulus.sub_pixels <= most_parts && annulus.outer > 0 && annulus.outer < furthest;
  }

  /// Keeps no reference to `circle`, for which serve() is true.
  explicit CircleChords(const SepAnnulus& circle)
      : sub_pixels_(circle.sub_pixels),
        square_(circle.outer2),
        furthest_((static_cast<std::int32_t>(2 * circle.outer) + 4) * static_cast<std::int32_t>(circle.sub_pixels)) {}

  /// Finds the shares of the pixels that are inside. Returns false if a sub-pixel is so close to the circle that
  /// rounding may decide about it: then `part` has no result. The arrays must have room for whole blocks.
  bool count(const EdgeRow& row, double* part) const;

 private:
  std::int64_t sub_pixels_;
  double square_;
  std::int32_t furthest_;
};

}  // namespace srcextract::python
