#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Positions to measure in every image of a run (srcextract --positions), as written in their table.
struct PositionList {
  std::string path;
  std::int64_t rows = 0;
  std::vector<double> x, y;          ///< in pixels, from 1 at the centre of the first pixel; empty: not in the table
  std::vector<double> alpha, delta;  ///< in degrees, J2000; or empty
  std::vector<double> a, b, theta;   ///< of the ellipse; or empty
  std::vector<double> kron_radius;   ///< or empty
  std::vector<std::int32_t> number;  ///< or empty
  Table carried = {};                ///< further columns, which srcextract does not measure
};

/// Reads positions from a table in any format of io/tables. Names are not case-sensitive. Columns:
/// - in pixels: X_IMAGE and Y_IMAGE, or X and Y
/// - on the sky: ALPHA_J2000 and DELTA_J2000, RA and DEC, RA_ICRS and DE_ICRS, _RAJ2000 and _DEJ2000, RAJ2000 and
///   DEJ2000
/// - optional: A_IMAGE, B_IMAGE and THETA_IMAGE; KRON_RADIUS; NUMBER
/// A sexagesimal pair is ignored where another pair is in degrees. Throws Error{input}, with path and line or row, if:
/// - the table cannot be read, or has no row or no positions
/// - a position is no number, or a column has another unit
/// - two pairs in degrees give a row different positions
///
/// Throws Error{memory} before the table and its places on an image take more than `room` bytes.
PositionList read_positions(const std::string& path, std::int64_t room = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
