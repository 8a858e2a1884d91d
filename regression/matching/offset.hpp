#pragma once

#include "regression/matching/align.hpp"

namespace srcextract {

/// A change as a mapping of axes: x' = sign_x a + dx, y' = sign_y b + dy. Here (a, b) is the reference's (x, y), or (y,
/// x) if `swapped`.
struct Axes {
  bool swapped = false;
  double sign_x = 1, sign_y = 1;
};

Axes axes_of(const Alignment& alignment);

/// Whether the change is a change of units, which has no offset.
bool is_unit(Change change);

/// An offset along the axes of the new catalogue.
struct Offset {
  double x = 0, y = 0;
};

/// The position of row `j` of the new catalogue minus that of row `i` of the reference, after the change was applied to
/// the latter. Differences of right ascension are reduced to at most 180 degrees.
Offset excess(const Positions& reference, std::size_t i, const Positions& other, std::size_t j,
              const Alignment& alignment);

/// Adds the median of the remaining offsets `left` to the offset of the change.
void add_median(Alignment& alignment, const std::vector<Offset>& left);

/// Improves the offset of the change by the median of the remaining offsets of all matches. Does nothing without
/// matches, or if the change is a change of units.
void refine(Alignment& alignment, const Positions& reference, const Positions& other, const Matches& matches);

}  // namespace srcextract
