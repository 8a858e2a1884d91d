#pragma once

#include <cstdint>
#include <vector>

namespace srcextract {

/// Sorts numbers, fewer than 2^32 and none of them NaN, in the order of ordered_key: ascending, -0 before +0. In time
/// proportional to their number, with no branch that a processor could guess wrong: for hundreds of them and more; a
/// few are sorted faster by std::sort.
void radix_sort(std::vector<float>& values);

/// The same of whole numbers. `scratch` is memory for as many, to be kept from call to call.
void radix_sort(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& scratch);

}  // namespace srcextract
