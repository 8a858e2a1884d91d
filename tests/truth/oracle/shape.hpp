#pragma once

#include <vector>

#include "tests/truth/oracle/object.hpp"

namespace srcextract::oracle {

struct Position {
  double x = 0, y = 0;
};

/// The ellipse that has these second moments; ones whose determinant is not positive have to be widened before.
Ellipse ellipse_of(double x2, double y2, double xy);

/// Moments, ellipse and abcor (1 where there are weights) of pixels over `threshold`; about `core` for a source that
/// was split off.
Shape measure_shape(const std::vector<Pixel>& pixels, float threshold, bool weighted, const Position* core);

/// Shape, sums and errors of a source's own pixels.
void measure_isophote(Object& object, const Field& field, const Settings& settings);

}  // namespace srcextract::oracle
