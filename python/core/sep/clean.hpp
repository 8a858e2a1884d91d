#pragma once

#include <span>
#include <vector>

#include "python/core/sep/objects.hpp"

namespace srcextract::python {

/// Values of an object that CLEAN needs in addition to the object's row.
struct CleanFacts {
  float limit = 0;  ///< how far the object stands out above the threshold (stages/clean/clean_limit.hpp)
  /// Number of the object's pixels that exceed the mean of threshold and peak in the image before convolution.
  std::int64_t above_half = 0;
};

/// Decides which objects survive CLEAN, as SEP does. Each surviving object, in the order of the rows, is compared with
/// all later survivors. The brighter object of a pair absorbs the fainter object if possible (can_absorb). An object
/// that is absorbed during the comparisons with later objects still absorbs others. SEP compares all pairs; here only
/// nearby pairs are compared, with the same result. Returns 1 for each surviving row, else 0.
std::vector<std::uint8_t> find_survivors(const std::vector<SepObject>& rows, std::span<const CleanFacts> facts,
                                         double beta, const Shape& image);

}  // namespace srcextract::python
