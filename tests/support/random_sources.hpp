#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "tests/support/usual_sources.hpp"

namespace srcextract::testing {

/// Sources of which every value is a random bit pattern.
inline Sources random_sources(std::size_t count, bool sky, std::uint64_t seed) {
  Sources sources = usual_sources(count, sky ? sky_names : std::vector<std::string_view>());
  std::mt19937_64 random(seed);
  for_each_column(sources, [&]<class T>(const Column&, std::vector<T>& values) {
    for (T& value : values) {
      const std::uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof(T));
    }
  });
  return sources;
}

}  // namespace srcextract::testing
