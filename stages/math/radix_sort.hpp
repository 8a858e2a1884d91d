#pragma once

#include <vector>

namespace srcextract {

/// Sorts numbers, of which none is NaN, in the order of ordered_key: ascending, -0 before +0. In time proportional to
/// their number, with no branch that a processor could guess wrong: for thousands of them; a few are sorted faster by
/// std::sort.
void radix_sort(std::vector<float>& values);

}  // namespace srcextract
