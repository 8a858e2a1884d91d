#pragma once

#include <cstdint>
#include <span>

namespace srcextract {

/// The H-transform of R. L. White (1992): an image is a coarser one of the sums of 2 x 2 pixels, whose own transform
/// stands in the upper left quadrant, and the differences of these pixels: along the rows in the upper right quadrant,
/// down the columns in the lower left one, and of the differences in the lower right one. Sums and differences of a
/// level have low bits in common, and are stored rounded: inverting tells these from each other.
template <class Coefficient>
struct HTransform {
  std::int64_t rows, columns;
  std::int32_t scale;  ///< of the coefficients, as they come; up to 1: none
  bool smooth;         ///< differences move by up to half of the scale towards the slope that the sums have

  /// Undoes it. What is beyond the coefficients' bits wraps. Both have one element a pixel; those of the coefficients
  /// are overwritten. False if there are more levels than a coefficient has bits.
  bool invert(std::span<Coefficient> coefficients, std::span<std::int32_t> pixels) const;
};

}  // namespace srcextract
