#pragma once

#include "regression/matching/align.hpp"

namespace srcextract {

/// How a change maps positions: other = (sign_x a + dx, sign_y b + dy). Here (a, b) is (x, y) of the reference, or (y,
/// x) if swapped.
struct Axes {
  bool swapped = false;
  double sign_x = 1, sign_y = 1;
};

Axes axes_of(const Alignment& alignment);

/// Whether the change is a change of unit, which has no offset.
bool is_unit(Change change);

/// An offset along the axes of the other catalogue.
struct Offset {
  double x = 0, y = 0;
};

/// Row `j` of the other catalogue minus row `i` of the reference after the change was applied to that row. Right
/// ascensions differ by at most half a turn.
Offset excess(const Positions& reference, std::size_t i, const Positions& other, std::size_t j,
              const Alignment& alignment);

/// Adds the median of the remaining offsets `left` to the change's offset.
void add_median(Alignment& alignment, const std::vector<Offset>& left);

/// Sets the change's offset to the median of the offsets over all matches; leaves it as it is without matches.
void refine(Alignment& alignment, const Positions& reference, const Positions& other, const Matches& matches);

}  // namespace srcextract
