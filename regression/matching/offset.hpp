#pragma once

#include "regression/matching/align.hpp"

namespace srcextract {

/// A change's axes: other = (sign_x a + dx, sign_y b + dy), where (a, b) is (x, y) of the reference or, swapped, (y,
/// x).
struct Axes {
  bool swapped = false;
  double sign_x = 1, sign_y = 1;
};

Axes axes_of(const Alignment& alignment);

/// Whether the change is one of the unit: it has no offset.
bool is_unit(Change change);

/// Along the axes of the other catalogue.
struct Offset {
  double x = 0, y = 0;
};

/// By how much row `j` of the other is away from where the change brings row `i` of the reference. Right ascensions are
/// half a turn apart at most.
Offset excess(const Positions& reference, std::size_t i, const Positions& other, std::size_t j,
              const Alignment& alignment);

/// Adds the median of what is left to the change's offset.
void add_median(Alignment& alignment, const std::vector<Offset>& left);

/// Moves the change's offset to the median over the matched, if there are any.
void refine(Alignment& alignment, const Positions& reference, const Positions& other, const Matches& matches);

}  // namespace srcextract
