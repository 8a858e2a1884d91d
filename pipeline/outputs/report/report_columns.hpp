#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// A catalogue column as the report shows it: name, unit, description and values.
struct ReportColumn {
  std::string name, unit, description;
  bool is_whole = false;  ///< its values are integers
  bool is_written = true;
  std::function<double(std::size_t)> at;  ///< the value of a row
};

/// All columns with values; columns that the catalogue writes come first. `sources` must outlive the result.
std::vector<ReportColumn> report_columns(const Sources& sources, const CatalogMetadata& metadata);

/// The column of this name; null if there is none.
const ReportColumn* find_column(const std::vector<ReportColumn>& columns, const std::string& name);

/// Light and size of the sources, for plots.
struct ReportLight {
  std::string magnitude, size;                    ///< names for axes
  std::vector<double> magnitudes, errors, sizes;  ///< NaN: unknown
  std::vector<std::size_t> order;                 ///< rows, the brightest first
};

/// Fills ReportLight: magnitudes follow from FLUX_AUTO if the catalogue has that, else from FLUX_ISO or FLUX_APER.
/// Sizes are FLUX_RADIUS or FWHM_IMAGE if the catalogue has one, else the root of A_IMAGE times B_IMAGE.
ReportLight report_light(const std::vector<ReportColumn>& columns, std::size_t rows, double zero_point);

}  // namespace srcextract
