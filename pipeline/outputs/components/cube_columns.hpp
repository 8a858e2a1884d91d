#pragma once

#include <string>

#include "stages/catalogue/table.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Adds the columns of channels and polarisations to a table of components. Names are PyBDSF's where PyBDSF has the
/// column.
/// - Total_flux_chN of channel N, NaN if the channel was left out, and Freq_chN, NaN if the frequency is unknown.
/// - Spec_Indx, Spec_curv, and Spec_flux at Spec_Freq (fit_spectrum).
/// - Total_Q, Total_U, Total_V, and the polarisation computed from these fluxes (polarisation_of).
///
/// Fluxes have the unit of the column Total_flux.
void add_cube_columns(ComponentTable kind, const FittedIslands& islands, Table& table);

/// Whether add_cube_columns() makes a column of this name.
bool is_cube_column(const std::string& name);

}  // namespace srcextract
