#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/math/splitmix64.hpp"

namespace srcextract {

/// The purpose of a random number. Each purpose has a sequence of its own.
enum class Purpose { cells, offset_x, offset_y, place_x, place_y, star, noise };

/// Number i of the pseudo-random sequence of that purpose, from 0 to below 1.
inline double random(Purpose purpose, std::int64_t i) {
  const std::int64_t begin = static_cast<std::int64_t>(purpose) << 56;
  return static_cast<double>(splitmix64(begin + i) >> 11) * 0x1p-53;
}

inline std::int64_t random_below(std::int64_t end, Purpose purpose, std::int64_t i) {
  return static_cast<std::int64_t>(random(purpose, i) * static_cast<double>(end));
}

/// The fractional part of i times the golden ratio; over all i these numbers are spread evenly from 0 to below 1.
double spread_evenly(std::int64_t i);

/// A pixel of the image, from 0.
struct Place {
  std::int64_t x, y;
};

/// Squares of `side` pixels that each get one random place, at least `margin` pixels from the square's border.
struct Cells {
  std::int64_t side, margin;
};

/// Returns random places that are not masked in `above`, in a random order: one per square. The grid of squares starts
/// at a random offset in each pass.
std::vector<Place> places_of_pass(const Image<float, Cpu>& above, std::int64_t pass, const Cells& cells);

}  // namespace srcextract
