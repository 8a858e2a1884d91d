#include "python/core/sep/circle_chords.hpp"

#include <algorithm>
#include <cmath>

#include "python/core/sep/aperture_lanes.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract::python {
namespace {

/// How a row of pixels is divided into sub-pixels. The sub-pixels of each row of them have numbers: 0 is the first of
/// column 0.
struct Division {
  std::int64_t sub_pixels;
  double square;          ///< of the circle's radius
  std::int32_t furthest;  ///< more than the largest number of a sub-pixel in reach, without its sign
};

/// At least the number of rows of sub-pixels in a row of pixels. Rows beyond have no chord.
constexpr int rows = CircleChords::most_parts;

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN bool count_by_chords(const Division& of, const EdgeRow& row, double* part) {
  const auto parts = static_cast<double>(of.sub_pixels), step = 1.0 / parts, first = 0.5 * (step - 1);
  const double left = row.left + first, top = row.down + first;
  // Rounding decides about no sub-pixel that is further from the circle: a millionth of a sub-pixel along its row,
  // where the chord is not so short that rounding moves its end by more.
  constexpr double close = 1e-6, shortest = 1e-8;
  const double least = shortest * of.square;
  // Makes numbers positive, since conversion to an integer rounds towards 0.
  const std::int32_t shift = of.furthest;
  // The first sub-pixels beyond both ends of the chord.
  std::int32_t begin[rows], end[rows];
  double distance[rows];
  VECTOR_LOOP for (int j = 0; j < rows; ++j) {
    const double v = top + j * step, rest = j < parts ? of.square - v * v : -of.square;
    const double root = std::sqrt(rest > 0 ? rest : 0);
    const double from = (-root - left) * parts + shift, to = (root - left) * parts + shift;
    begin[j] = static_cast<std::int32_t>(from);
    end[j] = static_cast<std::int32_t>(to);
    // Both ends are between two sub-pixels.
    const double after_from = from - begin[j], after_to = to - end[j];
    const double nearest = std::min(std::min(after_from, 1 - after_from), std::min(after_to, 1 - after_to));
    const double clear = std::abs(rest) > least ? 1 : 0;
    distance[j] = rest < -least ? 1 : clear * nearest;
  }
  VECTOR_LOOP for (int half = rows / 2; half > 0; half /= 2) for (int j = 0; j < half; ++j) distance[j] =
      std::min(distance[j], distance[j + half]);
  if (distance[0] < close) return false;
  const auto side = static_cast<std::int32_t>(of.sub_pixels);
  for (std::int64_t i = 0; i < row.count; i += lanes) {
    std::int32_t number[lanes], inside[lanes] = {};
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) number[k] =
        (row.place[i + k] - static_cast<std::int32_t>(row.first)) * side + shift - 1;
    for (std::int64_t j = 0; j < of.sub_pixels; ++j)
      VECTOR_LOOP for (int k = 0; k < lanes; ++k) inside[k] +=
          std::clamp(end[j] - number[k], 0, side) - std::clamp(begin[j] - number[k], 0, side);
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) part[i + k] = inside[k] * (step * step);
  }
  return true;
}

}  // namespace

bool CircleChords::count(const EdgeRow& row, double* part) const {
  return count_by_chords({sub_pixels_, square_, furthest_}, row, part);
}

}  // namespace srcextract::python
