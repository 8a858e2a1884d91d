#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/outputs/cutout_window.hpp"
#include "stages/core/image.hpp"
#include "stages/math/splitmix64.hpp"

namespace srcextract {

/// The use of a random number. Each use has a separate sequence of random numbers.
enum class Purpose { cells, offset_x, offset_y, place_x, place_y, star, noise };

/// Number `i` of the pseudo-random sequence of that purpose, in [0, 1).
inline double random(Purpose purpose, std::int64_t i) {
  const std::int64_t begin = static_cast<std::int64_t>(purpose) << 56;
  return splitmix64_fraction(begin + i);
}

inline std::int64_t random_below(std::int64_t end, Purpose purpose, std::int64_t i) {
  return static_cast<std::int64_t>(random(purpose, i) * static_cast<double>(end));
}

/// The fractional part of (i + 0.5) times 0.618, the inverse of the golden ratio; these numbers fill [0, 1) evenly.
double spread_evenly(std::int64_t i);

/// Squares of `side` x `side` pixels; each square gets one random pixel, at least `margin` pixels from the square's
/// border.
struct Cells {
  std::int64_t side, margin;
};

/// Random pixels that are not NaN in `above`, in random order, at most one per square. The grid of squares starts at an
/// offset that depends on `pass`, the number of the extraction.
std::vector<PixelPlace> places_of_pass(const Image<float, Cpu>& above, std::int64_t pass, const Cells& cells);

}  // namespace srcextract
