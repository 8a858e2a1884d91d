#pragma once

#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// A PSF model at nodes 1 pixel apart: for each term of a polynomial over the field (FieldTerms), a square of values
/// row by row.
struct StarOfPsf {
  int order = 0;  ///< of the polynomial, at most 2
  std::vector<float> values;
};

/// Samples a PSF model (the numbers of PsfModel) in an image of this shape. The model is drawn at 5 x 5 places of the
/// field, and the polynomial is the least-squares fit to them. Fluxes measured by the interpolated
/// nodes are right in the mean over the places of a star within its pixel. `half` is the half width of the squares.
StarOfPsf sample_psf(const std::vector<double>& numbers, const Shape& shape, int half);

}  // namespace srcextract
