#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Describes the difference of two images for run.json. `sky` is the statistics of the difference's sky; `changes` are
/// the catalogue rows.
nlohmann::ordered_json difference_json(const Config& config, const DifferenceFacts& facts, const Statistics& sky,
                                       const Sources& changes);

}  // namespace srcextract
