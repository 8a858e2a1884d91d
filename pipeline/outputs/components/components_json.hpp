#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/config.hpp"
#include "stages/fit/fit_islands.hpp"

namespace srcextract {

/// The beam of a radio map. `unit_in_jansky` is what a pixel value of 1 is, in Jy/beam; null: not known.
nlohmann::ordered_json beam_json(const Config& config);

/// The Gaussians of a radio map, and the planes in which they were measured; `noise_area`: of the noise's
/// autocorrelation, in beams.
nlohmann::ordered_json fitted_json(const FittedIslands& fitted);

}  // namespace srcextract
