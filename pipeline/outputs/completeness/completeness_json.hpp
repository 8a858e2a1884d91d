#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/outputs/completeness/completeness.hpp"

namespace srcextract {

/// Formats the completeness as JSON, for run.json and for the script of the report. Unknown limits are null.
nlohmann::ordered_json completeness_json(const Completeness& completeness);

}  // namespace srcextract
