#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "stages/catalogue/declared_columns.hpp"

namespace srcextract::testing {

/// Adds the columns NAME, NAME_1 ... of which every value is a random bit pattern.
template <class T>
void add_vector_columns(Sources& sources, const char* name, int length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int element = 0; element < length; ++element) {
    std::vector<T> values(static_cast<std::size_t>(sources.size()));
    for (T& value : values) {
      const std::uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof(T));
    }
    sources.add({{name, pixel_sum_unit, "phot.flux", "One after the other", 0},
                 numbered(name, static_cast<std::size_t>(element)),
                 std::move(values)});
  }
}

}  // namespace srcextract::testing
