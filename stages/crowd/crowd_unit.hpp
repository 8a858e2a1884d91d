#pragma once

#include <vector>

#include "stages/crowd/crowd_fit.hpp"
#include "stages/crowd/fit_crowd.hpp"

namespace srcextract {

/// The unit of pixels in which a crowd is fitted: a power of two, so that no digit changes. The unit is 1 unless the
/// noise is very small or very large. Then weights and light in single precision, or what counts as no light, would
/// lose their meaning.
class CrowdUnit {
 public:
  explicit CrowdUnit(const CrowdImage& image);

  /// Whether the unit is 1, so that pixels need no conversion.
  bool is_one() const { return exponent_ == 0; }

  /// The image in this unit; `pixels` holds its pixels if they change.
  CrowdImage convert(const CrowdImage& image, std::vector<float>& pixels) const;
  /// Converts a fit to the unit of the image.
  void restore(CrowdFit& fit) const;

 private:
  int exponent_ = 0;  ///< pixels are multiplied by 2 to this power
};

}  // namespace srcextract
