#pragma once

#include <cstdint>
#include <span>

namespace srcextract {

/// The H-transform of R. L. White (1992). Each level has four quadrants:
/// - upper left: the sums of 2 x 2 pixels, transformed in turn;
/// - upper right: their differences along the rows;
/// - lower left: their differences down the columns;
/// - lower right: the differences of these differences.
///
/// Sums and differences of a level share low bits and are stored rounded; the inverse recovers the bits from each
/// other.
template <class Coefficient>
struct HTransform {
  std::int64_t rows, columns;
  std::int32_t scale;  ///< quantisation step of the coefficients; 1 or less: none
  bool smooth;         ///< whether differences are moved towards the slope of the sums, by at most half the scale

  /// Inverts the transform; overflow of the coefficients wraps. Both spans have one element per pixel, and the
  /// coefficients are overwritten. False if there are more levels than a coefficient has bits.
  bool invert(std::span<Coefficient> coefficients, std::span<std::int32_t> pixels) const;
};

}  // namespace srcextract
