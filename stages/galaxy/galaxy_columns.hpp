#pragma once

#include <span>
#include <vector>

#include "stages/galaxy/galaxy_row.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// A column of fitted galaxies. Definitions are SExtractor's (its manual, "Model fitting"), whose names they have, but
/// fluxes are total ones, and CHI2_MODEL has no compressed residuals.
using GalaxyColumn = RowColumn<GalaxyRow>;

/// The columns of all models.
std::span<const GalaxyColumn> galaxy_columns();

/// Adds the columns of `choice` that the rows' model has. `rows` has one element per source.
void add_galaxy_columns(std::span<const GalaxyRow> rows, const GalaxyModel& model, const MeasurementConfig& config,
                        const ColumnChoice& choice, Sources& sources, const Cpu& where);

/// The groups of columns that a model has: `model`, and `spheroid` and `disk` if it has these components.
std::vector<const char*> galaxy_groups(const GalaxyModel& model);

/// The components that model.fit and model.sky name.
GalaxyModel galaxy_model(const ModelConfig& config);

}  // namespace srcextract
