#pragma once

#include <cstddef>
#include <vector>

#include "stages/core/exec.hpp"
#include "stages/psf/psf_stamps.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {

/// The contribution of a star to improving the PSF: its pixels minus the model, divided by its flux, and their weights.
struct StarEquations {
  const PsfWindow* window;
  std::vector<double> basis;           ///< values of the polynomial's terms at the star's position
  std::vector<double> beyond, weight;  ///< one value for each pixel of the window, column by column
  /// The changes of the pixels if the star's position changes: both gradients of its shape. These vectors are made
  /// orthogonal with the weights, and have the length 1 or 0.
  std::vector<std::vector<double>> own = {};

  /// Removes from `pixels` the part that a change of the star's position can explain.
  void take_out(std::vector<double>& pixels) const;
};

/// Improves the surface: minimises the weighted sum of squares over all stars, with a free position of each star
/// and its flux as it is. The method is 20 rounds of conjugate gradients with the diagonal as preconditioner. The
/// polynomial's terms are first made orthogonal over the stars.
///
/// The surface is `usual` plus `departure`. The departure is blurred with the kernel (1, 4, 6, 4, 1) / 16 along each
/// axis to keep the surface smooth. The prior standard deviation of the departure is `deviation` of the mean PSF in the
/// first term, and a third of it in the others. Hence the wings of a varying PSF follow its core, and no pixel follows
/// the noise of a single bright star.
///
/// `departure` is 0 everywhere before the first call; each call updates it for the next call. Stars are added in groups
/// of a fixed size, so that sums do not depend on the number of threads.
void improve_surface(const std::vector<StarEquations>& stars, const PsfSurface& usual, double deviation,
                     PsfSurface& surface, std::vector<double>& departure, const Cpu& where);

}  // namespace srcextract
