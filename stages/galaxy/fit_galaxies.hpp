#pragma once

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/galaxy/fitted_galaxies.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/settings/model.hpp"

namespace srcextract {

/// An image whose sources are fitted.
struct GalaxyField {
  const Image<float, Cpu>& above;          ///< the image minus its sky; bad pixels are NaN
  const Image<float, Cpu>& variance;       ///< variance of each pixel, without photons of sources
  const Runs<Cpu>& runs;                   ///< runs of the segmentation
  const Buffer<std::int32_t, Cpu>& label;  ///< source of each run, from 1; 0: of none
  const Sources& sources;                  ///< the usual columns, one row per source
  PsfModel psf;                            ///< must have planes in host memory
  double per_photon = 0;                   ///< 1 / gain; 0: photons of sources add no noise
  /// How noise that pixels share grows in sums; errors follow it in the noise of the sky, not in that of photons.
  NoiseLaw law;
  double saturation = 0;  ///< value above the sky from which a pixel is saturated and not fitted
};

/// Fits `model` to every source, in passes (stages/galaxy/galaxy_fit.hpp has the fit of one source):
/// - The first pass uses the pixels of the source and those of no source.
/// - Passes between the first and the last use all good pixels. What the models of the pass before leave over is
/// divided
///   among the sources, in proportion of their models in that pixel. If each source took all of it, blends of three
///   would pass their light to and fro, more of it in each pass.
/// - The last pass uses all good pixels minus the models of all other sources, so that errors are those of the pixels.
/// - A model is subtracted from others in the box of its fit, and beyond that where it is brighter than a fiftieth of
/// the
///   noise, if its flux is above 30 times its error. Wings of fainter sources are too uncertain.
///
/// No source waits for another in a pass, so results do not depend on the order of work. Runs on the host.
FittedGalaxies fit_galaxies(const GalaxyField& field, const ModelConfig& config, bool with_light, const Cpu& where);

}  // namespace srcextract
