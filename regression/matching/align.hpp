#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regression/matching/match.hpp"

namespace srcextract {

/// A change of all positions of the new catalogue relative to the reference.
enum class Change {
  none,
  shift,       ///< x' = x + dx, y' = y + dy
  flip_x,      ///< x is mirrored: x' = dx - x, y' = y + dy
  flip_y,      ///< y is mirrored: x' = x + dx, y' = dy - y
  rotate_180,  ///< both axes are mirrored
  swap,        ///< x and y, or right ascension and declination, are exchanged, then shifted
  /// The axes are exchanged, and one or both are mirrored: a rotation by 90 degrees either way, or a reflection at the
  /// anti-diagonal.
  swap_flip,
  hours,    ///< right ascension is in hours
  radians,  ///< right ascension and declination are in radians
};

/// A change that turns positions of the reference into positions of the new catalogue, found from the positions alone.
struct Alignment {
  Change change = Change::none;
  /// In pixels, or in degrees on the sky; there dx is a difference of right ascension, not multiplied by cos(dec).
  double dx = 0, dy = 0;
  /// For Change::swap_flip: the axes that are mirrored after the exchange.
  bool x_reversed = false, y_reversed = false;
};

/// Returns the positions of `other` with the change undone.
Positions undone(const Positions& other, const Alignment& alignment);

/// Finds the change under which most sources coincide. The change must fulfil three conditions:
/// - At least half of the sources of the smaller catalogue match.
/// - More sources match than without a change: by at least 5, by 1/20 of the matches, and by twice their square root.
/// - Far more sources match than would match by chance (7 sigma).
///
/// Else the result is Change::none. If several changes match nearly equally many sources, as on a regular grid, the
/// first in the order of the enumeration is chosen. `reference_rank` and `other_rank` list rows, the brightest first.
/// The 200 brightest sources suggest the change. All rows confirm the change, and give dx and dy as medians over the
/// matches. On the sky, rotations are not tried. The result does not depend on the number of threads.
Alignment find_alignment(const Positions& reference, const std::vector<std::int64_t>& reference_rank,
                         const Positions& other, const std::vector<std::int64_t>& other_rank, double radius,
                         int threads);

}  // namespace srcextract
