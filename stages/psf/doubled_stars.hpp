#pragma once

#include <cstddef>
#include <span>

#include "stages/psf/psf_stars.hpp"

namespace srcextract {

/// Stars that are in the image twice, as where a frame was exposed again after a jump of the guiding.
struct DoubledStars {
  std::size_t pairs = 0, bright = 0;  ///< pairs of two images of a star, and bright sources; no pairs: not doubled
  double dx = 0, dy = 0;              ///< from the brighter image to the fainter one, in pixels
  double ratio = 0;                   ///< light of the fainter one over that of the brighter one
};

/// Finds whether most of the bright sources are pairs: at one offset, to a pixel, of at most six full widths, and with
/// one ratio of fluxes, to 20 %. A star of two such pairs is one of a row, as fibres make. Chance makes no such pairs,
/// whatever the density of stars. `width`: full width of a star in pixels.
DoubledStars find_doubled_stars(std::span<const PsfStar> stars, double width);

}  // namespace srcextract
