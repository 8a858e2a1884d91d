#pragma once

#include <cstddef>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/psf/psf_stars.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {

/// A part of the field where the PSF has not the width of the stars.
struct UnlikePart {
  std::size_t stars = 0;  ///< stars in the part; 0 if every part is like the PSF
  double off = 0;         ///< median difference of a star's width from that of the PSF at its place, in parts of it
  double x = 0, y = 0;    ///< the middle of the part, in pixels from 0
};

/// Returns the full width of the PSF in the middle of the field, as measure_width() finds it, in pixels.
double width_in_middle(const PsfSurface& surface);

/// Finds the part of the field whose stars differ most from the PSF in width: of 3 x 3 cells that have eight stars, the
/// one where the median difference is largest, and above 5 %. A star is any isolated source that has the width of the
/// sources nearby, also if the PSF was not made from it. Both widths are measured alike (measure_width).
UnlikePart find_unlike_part(const PsfSurface& surface, const std::vector<PsfStar>& stars);

}  // namespace srcextract
