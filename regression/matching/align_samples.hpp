#pragma once

#include <cmath>

#include "regression/matching/align.hpp"
#include "regression/matching/offset.hpp"

namespace srcextract {

/// The brightest sources of both sides, which suggest a change.
class AlignmentSamples {
 public:
  AlignmentSamples(Positions reference, Positions other, double radius);

  /// Whether the radius defines a search area.
  bool can_vote() const { return reach_.x > 0 && std::isfinite(reach_.x); }
  std::int64_t smaller() const { return std::min(reference_.size(), other_.size()); }

  /// Matches, and their number, with the change undone.
  Matches match(const Alignment& alignment) const {
    return match_sources(reference_, undone(other_, alignment), radius_, 1);
  }
  std::int64_t count(const Alignment& alignment) const {
    return static_cast<std::int64_t>(match(alignment).reference.size());
  }

  /// The change, with the offset that matches most pairs.
  Alignment vote(Alignment alignment) const;

  /// Share of sources matched by chance: measured with the change offset by a few radii, among sources still inside the
  /// reference's field.
  double chance(const Alignment& alignment) const;

 private:
  Offset reach_for(const Alignment& alignment) const {
    return axes_of(alignment).swapped ? Offset{reach_.y, reach_.x} : reach_;
  }

  Positions reference_, other_;
  double radius_;
  Offset reach_{};  // radius along the reference's x and y
};

}  // namespace srcextract
