#pragma once

#include <cstddef>
#include <vector>

#include "stages/core/exec.hpp"
#include "stages/psf/psf_stamps.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {

/// What a star tells about the PSF: what its pixels have beyond the model, for a flux of 1, and their weights.
struct StarEquations {
  const PsfWindow* window;
  std::vector<double> basis;           ///< terms of the polynomial at its place
  std::vector<double> beyond, weight;  ///< a pixel each, column by column
  /// The star's shape and gradients, which its flux and place change by: orthogonal with these weights, of length 1 or
  /// 0.
  std::vector<std::vector<double>> own = {};

  /// Takes out of pixels what another flux or place of the star could make of them.
  void take_out(std::vector<double>& pixels) const;
};

/// Adds to the surface what makes the weighted sum of squares over all stars least, whatever flux and place of each
/// star, by 20 rounds of conjugate gradients with the diagonal as preconditioner. Terms are made orthogonal over the
/// stars before. The surface departs from that of `usual` as far as the stars tell, and smoothly: by `departure`,
/// blurred by a kernel of (1, 4, 6, 4, 1) along each axis. As a prior a departure has a deviation of 0.3 of the mean
/// PSF in the first term, and of 0.1 in the others. So the wings of a varying PSF follow its core, and no pixel follows
/// the noise of a single bright star. `departure` is that of the turn before, at first 0 everywhere, and is improved
/// with the surface. Stars are added in groups of a fixed size, so the sums do not depend on threads.
void improve_surface(const std::vector<StarEquations>& stars, const PsfSurface& usual, PsfSurface& surface,
                     std::vector<double>& departure, const Cpu& where);

}  // namespace srcextract
