#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/chain/extraction.hpp"

namespace srcextract {

nlohmann::ordered_json statistics_json(const Statistics& s);

/// Describes an estimated sky for run.json: one level for the image, or a mesh of levels.
nlohmann::ordered_json background_json(const Background& background);

}  // namespace srcextract
