#pragma once

#include <cstdint>
#include <vector>

namespace srcextract {

/// Sorts numbers in the order of ordered_key: ascending, -0 before +0. At most 2^32 - 1 numbers, without NaN. The time
/// is proportional to their number, with no branch that a processor could mispredict. Radix sort pays from hundreds of
/// numbers on; std::sort is faster for a few.
void radix_sort(std::vector<float>& values);

/// Sorts whole numbers. `scratch` is memory for the same count; keep it from call to call.
void radix_sort(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& scratch);

}  // namespace srcextract
