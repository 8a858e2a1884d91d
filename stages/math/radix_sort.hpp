#pragma once

#include <cstdint>
#include <vector>

namespace srcextract {

/// Sorts numbers in ascending order, -0 before +0, as ordered_key does. There may be at most 2^32 - 1 numbers, none of
/// them NaN. The time is proportional to their number, without branches that a processor could mispredict. Radix sort
/// pays from hundreds of numbers on; std::sort is faster for a few.
void radix_sort(std::vector<float>& values);

/// Sorts whole numbers in ascending order. `scratch` is working memory for as many numbers; keep it from call to call.
void radix_sort(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& scratch);

}  // namespace srcextract
