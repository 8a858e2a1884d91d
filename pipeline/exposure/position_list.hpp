#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Places at which light is measured in every image of a run (srcextract --positions), as their table has them.
struct PositionList {
  std::string path;
  std::int64_t rows = 0;
  std::vector<double> x, y;          ///< in pixels, the centre of the first is 1; or none
  std::vector<double> alpha, delta;  ///< in degrees, J2000; or none
  std::vector<double> a, b, theta;   ///< of the ellipse; or none
  std::vector<double> kron_radius;   ///< or none
  std::vector<std::int32_t> number;  ///< or none
  Table carried = {};                ///< columns that are none of these, and that srcextract does not measure
};

/// Reads them from a table in any format of io/tables: X_IMAGE and Y_IMAGE, or X and Y; ALPHA_J2000 and DELTA_J2000, RA
/// and DEC, or VizieR's RA_ICRS and DE_ICRS, _RAJ2000 and _DEJ2000, RAJ2000 and DEJ2000; in pixels, on the sky, or
/// both; A_IMAGE, B_IMAGE and THETA_IMAGE, KRON_RADIUS and NUMBER where they are there. Names are the same in small
/// letters. Throws Error{input}, with path and line or row, if it cannot be read, has no row or no positions, or one of
/// them is no number; if a column is in another unit; or if of two such pairs in degrees a row has different positions.
/// A sexagesimal pair counts as no position where another pair is in degrees. Throws Error{memory} before the table
/// and its places on an image take more than `room` bytes.
PositionList read_positions(const std::string& path, std::int64_t room = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
