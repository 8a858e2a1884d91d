#pragma once

#include <span>
#include <string>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// Names of the columns in the catalogue of a crowded field. make_catalog() uses them instead of output.columns.
/// `injected` adds the columns that need artificial stars.
std::vector<std::string> crowd_column_names(bool injected);

/// Sets positions and FLAGS from `rows`, adds the fitted sky to BACKGROUND, and adds the other columns of a crowded
/// field. `sources` must have one row for each of `rows`. `zero_point` is the magnitude of a flux of 1.
void add_crowd_columns(std::span<const CrowdRow> rows, double zero_point, bool injected, Sources& sources,
                       const Cpu& where);

}  // namespace srcextract
