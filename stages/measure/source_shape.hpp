#pragma once

#include <limits>

#include "stages/core/image.hpp"
#include "stages/measure/ellipse.hpp"
#include "stages/measure/measure.hpp"
#include "stages/measure/parentage.hpp"

namespace srcextract {

/// A ratio, or the value of what is not defined. One NaN, whatever the processor's own would be: a catalogue is
/// compared by bytes.
inline double ratio_or_nan(double numerator, double denominator) {
  return denominator == 0 ? std::numeric_limits<double>::quiet_NaN() : numerator / denominator;
}

/// From the first column and row of a source.
struct SourcePosition {
  double x, y;
};

/// A source whose flux is zero has no centre: with an absolute threshold below the background there can be one.
inline SourcePosition centre_of(const SourceSums& s) {
  return {ratio_or_nan(s.vx, s.v), ratio_or_nan(s.vy, s.v)};
}

/// The position of a source: its centre, or that of the core of one that was split off.
inline SourcePosition position_of(const SourceSums& s, const Parentage& parentage) {
  return parentage.split != 0 ? SourcePosition{parentage.x - s.xmin, parentage.y - s.ymin} : centre_of(s);
}

/// The ellipse of a source by its moments about its position.
inline Ellipse ellipse_of(const SourceSums& s, const SourcePosition& position) {
  if (s.v == 0) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan, nan, nan, nan};
  }
  const SourcePosition centre = centre_of(s);
  return ellipse_about(s.vxx / s.v - (2 * centre.x - position.x) * position.x,
                       s.vyy / s.v - (2 * centre.y - position.y) * position.y,
                       s.vxy / s.v - (centre.x * position.y + (centre.y - position.y) * position.x));
}

inline bool at_edge(const SourceSums& s, const Shape& shape) {
  return s.xmin == 0 || s.ymin == 0 || s.xmax == shape.width - 1 || s.ymax == shape.height - 1;
}

}  // namespace srcextract
