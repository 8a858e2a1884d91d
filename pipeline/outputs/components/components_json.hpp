#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/config.hpp"
#include "stages/fit/fit_islands.hpp"

namespace srcextract {

/// Describes the beam of a radio map as JSON. `unit_in_jansky`: the Jy/beam that a pixel value of 1 stands for; null:
/// not known.
nlohmann::ordered_json beam_json(const Config& config);

/// Describes the fitted Gaussians of a radio map as JSON, and the planes in which they were measured. `noise_area`: the
/// area of the noise's autocorrelation, in beams.
nlohmann::ordered_json fitted_json(const FittedIslands& fitted);

}  // namespace srcextract
