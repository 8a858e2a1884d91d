#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/detect/label.hpp"
#include "stages/fit/fitted_row.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/reliability.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The Gaussians and sources of all islands, in the order of the islands. Source numbers are rows of `sources`, from 1.
struct FittedIslands {
  std::vector<ComponentRow> gaussians, sources;
  PixelBeam beam;
  Shape shape;                                  ///< of the image
  double noise_area = 0;                        ///< of the noise's autocorrelation, in units of the beam's
  bool area_measured = false;                   ///< else fit.noise_area gives it
  std::optional<Reliability> reliability = {};  ///< set if fit.reliability asks for it
};

/// Fits Gaussians to islands, each by itself, so that rows do not depend on the number of threads. `islands` is the
/// number of labels. Every island has a row in `sources`: moments where no fit is possible. Requires
/// Settings::resources to have a beam. Gaussians, deconvolution and grouping: docs/radio.md.
FittedIslands fit_islands(const FitMap& map, std::int64_t islands, const Settings& config, const Cpu& where);

}  // namespace srcextract
