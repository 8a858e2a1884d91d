#pragma once

#include <span>
#include <vector>

#include "python/core/sep/objects.hpp"

namespace srcextract::python {

/// Values that CLEAN needs of an object, besides its row.
struct CleanFacts {
  float limit = 0;              ///< how far the object is above its threshold (stages/clean/find_limits.hpp)
  std::int64_t above_half = 0;  ///< number of the object's pixels above the mean of threshold and peak, before
                                ///< convolution
};

/// Decides which objects survive, as SEP does. In the order of the rows, each surviving object is compared with all
/// later survivors; the brighter of two absorbs the other, if it can. An object that is absorbed during its own
/// comparisons still goes on absorbing others. SEP compares all pairs; here only nearby ones are compared. Returns 1
/// for each surviving row, else 0.
std::vector<std::uint8_t> find_survivors(const std::vector<SepObject>& rows, std::span<const CleanFacts> facts,
                                         double beta, const Shape& image);

}  // namespace srcextract::python
