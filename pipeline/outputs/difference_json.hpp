#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Describes a difference of two frames for run.json. `sky` is the sky of the difference, `changes` are its rows.
nlohmann::ordered_json difference_json(const Config& config, const DifferenceFacts& facts, const Statistics& sky,
                                       const Sources& changes);

}  // namespace srcextract
