#pragma once

#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/measure/measure.hpp"
#include "stages/measure/parentage.hpp"

namespace srcextract {

/// A position in pixels, relative to the first column and row of a source (xmin, ymin).
struct SourceOffset {
  double x, y;
};

/// Second moments of the light of a source, in pixels^2.
struct SecondMoments {
  double x2, y2, xy;
};

/// The value of undefined quantities. The bits of this NaN must be the same on all processors, since catalogues are
/// compared byte by byte.
inline constexpr double undefined_value = std::numeric_limits<double>::quiet_NaN();

/// Returns the centroid of a source; NaN if its flux is zero. The flux can be zero if an absolute threshold is below
/// the background.
SRCEXTRACT_HOST_DEVICE inline SourceOffset centre_of(const SourceSums& s) {
  constexpr double nan = undefined_value;
  return s.v == 0 ? SourceOffset{nan, nan} : SourceOffset{s.vx / s.v, s.vy / s.v};
}

SRCEXTRACT_HOST_DEVICE inline bool at_edge(const SourceSums& s, const Shape& shape) {
  return s.xmin == 0 || s.ymin == 0 || s.xmax == shape.width - 1 || s.ymax == shape.height - 1;
}

/// Returns the position of a source: its centroid, or the centroid of its core (see Parentage) if deblending split it
/// off.
SRCEXTRACT_HOST_DEVICE inline SourceOffset position_of(const SourceSums& s, const Parentage& parentage) {
  return parentage.split != 0 ? SourceOffset{parentage.x - s.xmin, parentage.y - s.ymin} : centre_of(s);
}

/// Returns the second moments of a source about `position`. The flux of the source must not be 0.
SRCEXTRACT_HOST_DEVICE inline SecondMoments moments_about(const SourceSums& s, const SourceOffset& position) {
  const SourceOffset centre = centre_of(s);
  return {s.vxx / s.v - (2 * centre.x - position.x) * position.x,
          s.vyy / s.v - (2 * centre.y - position.y) * position.y,
          s.vxy / s.v - (centre.x * position.y + (centre.y - position.y) * position.x)};
}

/// Whether a source is thinner than a pixel by SExtractor's criterion: the determinant of its moments is below 0.00694,
/// about 1/144 pixel^4.
SRCEXTRACT_HOST_DEVICE inline bool is_thin(const SecondMoments& m) {
  return m.x2 * m.y2 - m.xy * m.xy < 0.00694;
}

/// Adds 1/12 pixel^2, the variance of a square pixel, to x2 and y2 if the source is thin.
SRCEXTRACT_HOST_DEVICE inline SecondMoments widened(SecondMoments m) {
  if (is_thin(m)) {
    m.x2 += 1.0 / 12;
    m.y2 += 1.0 / 12;
  }
  return m;
}

}  // namespace srcextract
