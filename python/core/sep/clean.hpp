#pragma once

#include <span>
#include <vector>

#include "python/core/sep/objects.hpp"

namespace srcextract::python {

/// What CLEAN compares of an object beside its row.
struct CleanFacts {
  float limit = 0;              ///< how far it stands out over its threshold (stages/clean/find_limits.hpp)
  std::int64_t above_half = 0;  ///< its pixels above the middle of its threshold and its peak, before convolution
};

/// Which objects are left, as SEP decides: in the order of the rows an object that is left is compared with all that
/// come after it and are left. Of two the brighter one eats the other, if it can; one that is eaten while it is
/// compared goes on eating. SEP compares all pairs; here only those near each other are.
std::vector<std::uint8_t> find_survivors(const std::vector<SepObject>& rows, std::span<const CleanFacts> facts,
                                         double beta);

/// The rows that are left, with their pixels.
SepObjects keep_survivors(const SepObjects& objects, const std::vector<std::uint8_t>& survives);

}  // namespace srcextract::python
