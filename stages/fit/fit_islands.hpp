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

/// A plane of a cube, with fluxes measured in it for Gaussians and sources that were fitted in another image.
struct MeasuredPlane {
  std::int64_t plane = 0;       ///< its number in the file, from 1
  std::int64_t channel = 0;     ///< from 1
  int stokes = 1;               ///< 1 to 4: I, Q, U, V
  double frequency = 0;         ///< in Hz; 0: not known
  double major = 0, minor = 0;  ///< full widths of its beam, in arcseconds
  double angle = 0;             ///< position angle of the beam in degrees, from north through east
  double noise = 0;             ///< of a pixel, in pixel values
  double noise_area = 0;        ///< area of the noise's autocorrelation, divided by the beam's area
  std::string left_out = {};    ///< reason why the plane was not measured; empty: it was measured
  PlaneFluxes gaussians = {},
              sources = {};  ///< fluxes in the order of the rows, in Jy or without unit; empty if left out
};

/// The Gaussians and sources of all islands, in the order of the islands. A Gaussian's source number is the row of its
/// source in `sources`, from 1.
struct FittedIslands {
  std::vector<ComponentRow> gaussians, sources;
  PixelBeam beam;
  Shape shape;                                  ///< of the image
  double noise_area = 0;                        ///< area of the noise's autocorrelation, divided by the beam's area
  bool area_measured = false;                   ///< else fit.noise_area gives it
  std::optional<Reliability> reliability = {};  ///< set if fit.reliability asks for it
  std::vector<MeasuredPlane> channels;          ///< if fit.channels asks for them
  std::vector<MeasuredPlane> polarised;         ///< planes of Q, U, V, if fit.stokes asks for them
};

/// Fits Gaussians to every island separately, so that rows do not depend on the number of threads. `islands` is the
/// number of islands. Every island has a row in `sources`; if no fit is possible, the row has moments of its pixels.
/// Requires Settings::resources to have a beam. Gaussians, deconvolution and grouping: docs/radio.md.
FittedIslands fit_islands(const FitMap& map, std::int64_t islands, const Settings& config, const Cpu& where);

}  // namespace srcextract
