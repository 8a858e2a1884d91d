#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/outputs/injection/injection.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Makes a table with a row for each bin of S/N: completeness, bias of fluxes, and pulls. A pull is an error divided by
/// the stated uncertainty.
Table injection_table(const Injection& injection);

/// Makes a table with a row for each injected Gaussian. `jansky` is the Jy/beam of a pixel value of 1; 0: unknown.
Table injected_rows_table(const Injection& injection, double jansky, const std::string& pixel_unit);

/// Formats the bins of S/N as JSON, for run.json and for the report.
nlohmann::ordered_json injection_json(const Injection& injection);

/// Formats the bins of S/N as lines of text for a terminal.
std::string injection_text(const Injection& injection);

}  // namespace srcextract
