#pragma once

#include <vector>

#include "stages/crowd/crowd_fit.hpp"
#include "stages/crowd/fit_crowd.hpp"

namespace srcextract {

/// The unit of pixel values during the fit of a crowded field. The unit is 1 unless the noise is very small or very
/// large; weights and light in single precision would then underflow or overflow. The unit is a power of two, so that
/// the conversion is exact.
class CrowdUnit {
 public:
  explicit CrowdUnit(const CrowdImage& image);

  bool is_one() const { return exponent_ == 0; }

  /// Returns the image in this unit. The converted pixels are stored in `pixels`, which must exist as long as the
  /// result. If the unit is 1, `pixels` stays empty.
  CrowdImage convert(const CrowdImage& image, std::vector<float>& pixels) const;
  /// Converts a fit to the original unit of the image.
  void restore(CrowdFit& fit) const;

 private:
  int exponent_ = 0;  ///< pixel values are multiplied by 2^exponent_
};

}  // namespace srcextract
