#pragma once

#include <span>
#include <string>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// Names of the columns of a crowd, which replace output.columns for make_catalog. `injected`: also the columns that
/// need added stars.
std::vector<std::string> crowd_column_names(bool injected);

/// Sets positions and FLAGS of the rows, adds the fitted sky to BACKGROUND, and adds the other columns of a crowd.
/// `sources` has a row for each of `rows`. `zero_point` is the magnitude of one count.
void add_crowd_columns(std::span<const CrowdRow> rows, double zero_point, bool injected, Sources& sources,
                       const Cpu& where);

}  // namespace srcextract
