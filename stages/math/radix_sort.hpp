#pragma once

#include <cstdint>
#include <vector>

namespace srcextract {

/// Sorts floats in ascending order, -0 before +0, by ordered_key(). There may be at most 2^32 - 1 floats, none of them
/// NaN. The time is proportional to their number. In the loops over the floats, no branch depends on the values. Radix
/// sort is faster than std::sort from some hundreds of numbers on.
void radix_sort(std::vector<float>& values);

/// Sorts integers in ascending order. `scratch` is resized to the number of keys; pass the same vector in every call to
/// save allocations.
void radix_sort(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& scratch);

}  // namespace srcextract
