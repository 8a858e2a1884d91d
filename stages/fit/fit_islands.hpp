#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/detect/label.hpp"
#include "stages/fit/fitted_row.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/plane_flux.hpp"
#include "stages/fit/reliability.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// A plane of a cube, with the fluxes of the Gaussians and sources that were fitted in another image.
struct MeasuredPlane {
  std::int64_t plane = 0;       ///< its number in the file, from 1
  std::int64_t channel = 0;     ///< from 1
  int stokes = 1;               ///< 1 to 4: I, Q, U, V
  double frequency = 0;         ///< in Hz; 0: not known
  double major = 0, minor = 0;  ///< full widths of its beam, in arcseconds
  double angle = 0;             ///< of the beam, in degrees from north through east
  double noise = 0;             ///< of a pixel, in pixel values
  double noise_area = 0;        ///< of the noise's autocorrelation, in units of the beam's
  std::string left_out = {};    ///< why it was not measured; empty: it was
  PlaneFluxes gaussians = {},
              sources = {};  ///< in the order of the rows, in Jy or without a unit; empty if it was left out
};

/// The Gaussians and sources of all islands, in the order of the islands. Source numbers are rows of `sources`, from 1.
struct FittedIslands {
  std::vector<ComponentRow> gaussians, sources;
  PixelBeam beam;
  Shape shape;                                  ///< of the image
  double noise_area = 0;                        ///< of the noise's autocorrelation, in units of the beam's
  bool area_measured = false;                   ///< else fit.noise_area gives it
  std::optional<Reliability> reliability = {};  ///< set if fit.reliability asks for it
  std::vector<MeasuredPlane> channels;          ///< if fit.channels asks for them
  std::vector<MeasuredPlane> polarised;         ///< Q, U, V, if fit.stokes asks for them
};

/// Fits Gaussians to islands, each by itself, so that rows do not depend on the number of threads. `islands` is the
/// number of labels. Every island has a row in `sources`: moments where no fit is possible. Requires
/// Settings::resources to have a beam. Gaussians, deconvolution and grouping: docs/radio.md.
FittedIslands fit_islands(const FitMap& map, std::int64_t islands, const Settings& config, const Cpu& where);

}  // namespace srcextract
