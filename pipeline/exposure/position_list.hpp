#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Positions to measure in every image of a run (option --positions), as written in their table. A member is empty if
/// the table lacks the column.
struct PositionList {
  std::string path;
  std::int64_t rows = 0;
  std::vector<double> x, y;          ///< in pixels; the centre of the first pixel is 1
  std::vector<double> alpha, delta;  ///< in degrees, J2000
  std::vector<double> a, b, theta;   ///< ellipses: semi-axes in pixels, and angle in degrees
  std::vector<double> kron_radius;   ///< in units of the ellipse's semi-axes
  std::vector<std::int32_t> number;  ///< column NUMBER
  Table carried = {};  ///< other columns, which are copied to the catalogue; without columns that have the name of a
                       ///< column that srcextract can write, EXT_NUMBER and EXTNAME
};

/// Reads positions from a table in any format of io/tables. Column names are not case-sensitive:
/// - in pixels: X_IMAGE and Y_IMAGE, or X and Y
/// - on the sky: ALPHA_J2000 and DELTA_J2000, RA and DEC, RA_ICRS and DE_ICRS, _RAJ2000 and _DEJ2000, or RAJ2000 and
/// DEJ2000
/// - optional: A_IMAGE, B_IMAGE and THETA_IMAGE; KRON_RADIUS; NUMBER
/// A pair of sky columns in sexagesimal numbers is ignored if another pair is in degrees.
/// Throws Error{input}, with the path and the line or row:
/// - if the table cannot be read, or has no rows or no positions
/// - if a position is not a number, or a column has another unit
/// - if two pairs in degrees give a row different positions
/// - if one column of a pair or of an ellipse is missing, or KRON_RADIUS has no ellipse
/// - if NUMBER is not made of 32-bit integers
/// Throws Error{memory} if the table and its positions in an image would take more than `room` bytes.
PositionList read_positions(const std::string& path, std::int64_t room = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
