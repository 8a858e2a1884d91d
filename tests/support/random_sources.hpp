#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract::testing {

/// Sources of which every value is a random bit pattern.
inline Sources random_sources(std::size_t count, bool sky, std::uint64_t seed) {
  Sources sources;
  sources.sky = sky;
  std::mt19937_64 random(seed);
  for_each_column(sources, [&]<class T>(const Column&, std::vector<T>& values) {
    values.resize(count);
    for (T& value : values) {
      const std::uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof(T));
    }
  });
  return sources;
}

}  // namespace srcextract::testing
