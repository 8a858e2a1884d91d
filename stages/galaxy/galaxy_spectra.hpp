#pragma once

#include "stages/galaxy/galaxy_modes.hpp"
#include "stages/galaxy/psf_spectra.hpp"
#include "stages/galaxy/sersic_table.hpp"

namespace srcextract {

/// Wave numbers and turns e^(-ik·centre) for one axis, for indices from -first to the other end.
struct AxisTurns {
  const float* wave;  ///< k of index 0; indices may be negative
  const float *cosines, *sines;
};

/// The input of fold_spectra() for one component of a model: the PSF, the place of the centre, and the profile.
struct SpectrumInput {
  const PsfSpectra* psf;
  const float* placed;  ///< PsfSpectra::place()
  AxisTurns x, y;
  ModeShape shape;
  const SersicOfIndex* index;  ///< null for a point
};

/// Fills the turns of an axis for a centre in pixels from the middle pixel of the box, number side / 2. Arrays begin at
/// index -farthest - 8 and have 2 farthest + 17 numbers.
void fill_turns(int side, int farthest, double centre, float* cosines, float* sines);
void fill_waves(int side, int farthest, float* wave);

/// Writes the folded half spectra of an image and its derivatives, each as [side][side / 2] real parts, then as many
/// imaginary parts: rows of kx, columns of ky. Number 0 of a row holds column 0 plus i times column side / 2. `images`:
/// 1, 6 or 7 of a profile, 1 or 3 of a point.
void fold_spectra(const SpectrumInput& input, int images, float* spectra);

}  // namespace srcextract
