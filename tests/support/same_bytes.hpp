#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace srcextract::testing {

/// Whether elements are equal to the last bit, NaN included; says where they first are not.
template <class T>
::testing::AssertionResult same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " elements against " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) {
      return ::testing::AssertionFailure() << "first difference at element " << i << " of " << a.size();
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace srcextract::testing
