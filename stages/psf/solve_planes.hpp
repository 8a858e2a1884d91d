#pragma once

#include <cstddef>
#include <vector>

#include "stages/core/exec.hpp"
#include "stages/psf/psf_stamps.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {

/// What a star contributes to improving the PSF: its pixels beyond the model, divided by its flux, and their weights.
struct StarEquations {
  const PsfWindow* window;
  std::vector<double> basis;           ///< terms of the polynomial at its place
  std::vector<double> beyond, weight;  ///< for each pixel of the window, column by column
  /// The directions in which a change of the star's flux or position changes its pixels: its shape and gradients,
  /// orthogonal with these weights and of length 1 or 0.
  std::vector<std::vector<double>> own = {};

  /// Removes from `pixels` the part that a change of the star's flux or position could explain.
  void take_out(std::vector<double>& pixels) const;
};

/// Improves the surface: minimises the weighted sum of squares over all stars, with flux and position of each star
/// free, by 20 rounds of conjugate gradients with the diagonal as preconditioner. The polynomial's terms are first made
/// orthogonal over the stars. The surface is `usual` plus `departure`, blurred by a kernel of (1, 4, 6, 4, 1) along
/// each axis to keep it smooth. The prior standard deviation of the departure is 0.3 of the mean PSF in the first term,
/// and 0.1 in the others. So the wings of a varying PSF follow its core, and no pixel follows the noise of a single
/// bright star. `departure` must be the one from the previous turn, at first 0 everywhere, and is updated. Stars are
/// added in groups of a fixed size, so the sums do not depend on threads.
void improve_surface(const std::vector<StarEquations>& stars, const PsfSurface& usual, PsfSurface& surface,
                     std::vector<double>& departure, const Cpu& where);

}  // namespace srcextract
