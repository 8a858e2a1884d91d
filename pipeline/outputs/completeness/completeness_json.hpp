#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/outputs/completeness/completeness.hpp"

namespace srcextract {

/// The completeness in run.json and for the script of the report. Limits that are not known are null.
nlohmann::ordered_json completeness_json(const Completeness& completeness);

}  // namespace srcextract
