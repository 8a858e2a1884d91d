#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regression/matching/match.hpp"

namespace srcextract {

/// How the positions of one catalogue came to differ as a whole from those of the other.
enum class Change {
  none,
  shift,       ///< by (dx, dy)
  flip_x,      ///< x runs the other way: x' = dx - x, and y' = y + dy
  flip_y,      ///< y runs the other way
  rotate_180,  ///< both
  swap,        ///< x and y, or right ascension and declination, have changed places; then shifted
  swap_flip,  ///< swapped, and one or both run the other way: a rotation by 90 degrees either way, or the anti-diagonal
  hours,      ///< right ascension is in hours
  radians,    ///< right ascension and declination are in radians
};

/// A change of the whole catalogue, found from its sources alone. `other` = the change applied to `reference`.
struct Alignment {
  Change change = Change::none;
  double dx = 0, dy = 0;  ///< pixels, or degrees on the sky (there dx is in right ascension, not times cos dec)
  /// Of a swap_flip: which axes run the other way after the swap.
  bool x_reversed = false, y_reversed = false;
};

/// The positions of `other` with the change undone.
Positions undone(const Positions& other, const Alignment& alignment);

/// The change under which the most sources fall on one another, if under it at least half of the smaller catalogue
/// does, markedly more than as they stand (by a twentieth, and twice the square root), and far more than chance would
/// bring together; Change::none where they fit as they stand or fit in no way. Of changes that explain the positions
/// alike, as on a regular grid, it is the first of the enumeration. `rank` orders each side's rows, the most
/// trustworthy (brightest) first: some hundreds of them are looked at, and all of them decide and give dx and dy, the
/// median over the matched. On the sky rotations are not looked for. The result is the same on any number of threads.
Alignment find_alignment(const Positions& reference, const std::vector<std::int64_t>& reference_rank,
                         const Positions& other, const std::vector<std::int64_t>& other_rank, double radius,
                         int threads);

}  // namespace srcextract
