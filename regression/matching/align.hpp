#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regression/matching/match.hpp"

namespace srcextract {

/// Change of a whole catalogue's positions relative to the other.
enum class Change {
  none,
  shift,       ///< by (dx, dy)
  flip_x,      ///< x runs the other way: x' = dx - x, and y' = y + dy
  flip_y,      ///< y runs the other way
  rotate_180,  ///< both axes run the other way
  swap,        ///< x and y, or right ascension and declination, exchanged, then shifted
  swap_flip,   ///< exchanged, and one or both run the other way: rotation by +-90 degrees, or reflection at the
               ///< anti-diagonal
  hours,       ///< right ascension is in hours
  radians,     ///< right ascension and declination are in radians
};

/// A change of the whole catalogue, found from its sources alone: `other` = the change applied to `reference`.
struct Alignment {
  Change change = Change::none;
  double dx = 0, dy = 0;  ///< pixels, or degrees on the sky (there dx is in right ascension, not times cos dec)
  /// For swap_flip: the axes that run the other way after the exchange.
  bool x_reversed = false, y_reversed = false;
};

/// Returns the positions of `other` with the change undone.
Positions undone(const Positions& other, const Alignment& alignment);

/// Finds the change under which most sources coincide. The change must match:
/// - at least half of the smaller catalogue,
/// - markedly more sources than no change (by a twentieth, and twice the square root),
/// - far more sources than chance.
///
/// Otherwise the result is Change::none. Among changes that fit equally well, as on a regular grid, the first in the
/// enumeration wins. `rank` lists each side's rows, the most reliable (brightest) first. A few hundred of them suggest
/// the change; all rows decide, and dx and dy are medians over the matches. On the sky, rotations are not tried. The
/// number of threads does not affect the result.
Alignment find_alignment(const Positions& reference, const std::vector<std::int64_t>& reference_rank,
                         const Positions& other, const std::vector<std::int64_t>& other_rank, double radius,
                         int threads);

}  // namespace srcextract
