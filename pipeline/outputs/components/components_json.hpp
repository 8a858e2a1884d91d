#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/config.hpp"
#include "stages/fit/fit_islands.hpp"

namespace srcextract {

/// Describes the beam of a radio map as JSON. `unit_in_jansky` is the Jy/beam of a pixel value of 1; null if unknown.
nlohmann::ordered_json beam_json(const Config& config);

/// Describes the Gaussians fitted to a radio map, and the planes of the map in which the Gaussians were measured, as
/// JSON. `noise_area` is the area of the noise's autocorrelation in beams.
nlohmann::ordered_json fitted_json(const FittedIslands& fitted);

}  // namespace srcextract
