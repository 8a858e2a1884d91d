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
#include "stages/settings/beams_at.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// A plane of a cube, with fluxes measured in it for Gaussians and sources that were fitted in another image.
struct MeasuredPlane {
  std::int64_t plane = 0;       ///< number of the plane in the file, from 1
  std::int64_t channel = 0;     ///< number of the frequency channel, from 1
  int stokes = 1;               ///< 1 to 4: I, Q, U, V
  double frequency = 0;         ///< in Hz; 0 if not known
  double major = 0, minor = 0;  ///< full widths at half maximum of the plane's beam, in arcseconds
  double angle = 0;             ///< position angle of the beam in degrees, from north through east
  double noise = 0;             ///< noise of a pixel, in pixel values
  double noise_area = 0;        ///< area of the noise's autocorrelation, divided by the beam's area
  std::string left_out = {};    ///< reason why the plane was not measured; empty if the plane was measured
  PlaneFluxes gaussians = {},
              /// Fluxes in the order of FittedIslands::gaussians and FittedIslands::sources, in Jy, or without unit if
              /// PixelBeam::to_jansky is 0. Empty if the plane was not measured.
      sources = {};
};

/// The Gaussians and sources of all islands (connected sets of pixels above the threshold), in the order of the
/// islands. ComponentRow::source of a Gaussian is the index of its source in `sources`, plus 1.
struct FittedIslands {
  std::vector<ComponentRow> gaussians, sources;
  PixelBeam beam;
  Shape shape;                 ///< shape of the image
  double noise_area = 0;       ///< area of the noise's autocorrelation, divided by the beam's area
  bool area_measured = false;  ///< true if noise_area was measured, false if noise_area is the setting fit.noise_area
  bool local_beams = false;    ///< whether each row has a beam of its own, by its place in the map
  std::optional<Reliability> reliability = {};  ///< set if fit.reliability is true
  std::vector<MeasuredPlane> channels;          ///< the frequency channels, if fit.channels is true
  std::vector<MeasuredPlane> polarised;         ///< the planes of Stokes Q, U and V, if fit.stokes is true
};

/// Fits Gaussians to every island separately, so that results do not depend on the number of threads. `islands` is the
/// number of islands. If `beams_at` is not empty, an island's fit has the beam at its brightest pixel, and a Gaussian's
/// flux counts in the beam at its centre. Every island has at least one row in `sources`; if no fit is possible, the
/// row has moments of the island's pixels. config.resources.beam must be set. The method is described in docs/radio.md.
FittedIslands fit_islands(const FitMap& map, std::int64_t islands, const Settings& config, const BeamsAt& beams_at,
                          const Cpu& where);

}  // namespace srcextract
