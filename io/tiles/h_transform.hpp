#pragma once

#include <cstdint>
#include <span>

namespace srcextract {

/// The H-transform (R. L. White, 1992, "High-performance compression of astronomical images"). A level of the transform
/// has four quadrants of coefficients, one for each block of 2 x 2 values:
/// - upper left: sums of the four values, which the next level transforms again;
/// - upper right: differences along the rows;
/// - lower left: differences down the columns;
/// - lower right: differences of these differences.
///
/// The lowest bits of a block's sum and differences are related, and the stored coefficients are rounded so that these
/// bits are not stored twice. The inverse derives the missing bits.
template <class Coefficient>
struct HTransform {
  std::int64_t rows, columns;
  std::int32_t scale;  ///< quantisation step of the coefficients; 1 or less if they are not quantised
  bool smooth;         ///< whether invert() first moves differences towards the slope of the sums, by at most scale / 2

  /// Computes the pixels from the coefficients, which are overwritten. Both spans have one element per pixel. Overflow
  /// of coefficients wraps. Returns false if the transform has more levels than a coefficient has bits.
  bool invert(std::span<Coefficient> coefficients, std::span<std::int32_t> pixels) const;
};

}  // namespace srcextract
