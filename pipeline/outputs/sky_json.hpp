#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Describes statistics of pixels for run.json.
nlohmann::ordered_json statistics_json(const Statistics& s);

/// Describes an estimated sky for run.json: by one level or by meshes.
nlohmann::ordered_json background_json(const Background& background);

}  // namespace srcextract
