#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/fit/fitted_row.hpp"

namespace srcextract {

/// A catalogue column for the report.
struct ReportColumn {
  std::string name, unit, description;
  bool is_whole = false;  ///< whether the values are integers
  bool is_written = true;
  std::function<double(std::size_t)> at;  ///< the value in a row
};

/// All columns that have values; the columns that the catalogue writes come first. `sources` must outlive the result.
std::vector<ReportColumn> report_columns(const Sources& sources, const CatalogMetadata& metadata);

/// The columns of numbers of a table of Gaussians (component_table()), of which `gaussians` are the rows, and X_IMAGE
/// ... THETA_IMAGE of the ellipses on which each has half of its peak, with a third of half its widths as A_IMAGE,
/// B_IMAGE. `gaussians` must outlive the result.
std::vector<ReportColumn> component_columns(Table table, const std::vector<ComponentRow>& gaussians);

/// The column of this name; null if there is none.
const ReportColumn* find_column(const std::vector<ReportColumn>& columns, const std::string& name);

/// Magnitudes, or logarithms of fluxes, and sizes of the sources, for plots.
struct ReportLight {
  std::string magnitude, size;                    ///< names of the plots' axes
  std::vector<double> magnitudes, errors, sizes;  ///< by row; NaN: unknown
  std::vector<std::size_t> order;                 ///< rows, the brightest first
};

/// Computes magnitudes from the first of FLUX_AUTO, FLUX_ISO and FLUX_APER that is finite for any source. Takes sizes
/// from FLUX_RADIUS or FWHM_IMAGE, or if the catalogue lacks both, from the root of A_IMAGE times B_IMAGE.
ReportLight report_light(const std::vector<ReportColumn>& columns, std::size_t rows, double zero_point);

/// Returns the same facts for a table of Gaussians: the logarithm of each Total_flux, and each Gaussian's full width at
/// half maximum in pixels.
ReportLight component_light(const std::vector<ReportColumn>& columns, std::size_t rows);

}  // namespace srcextract
