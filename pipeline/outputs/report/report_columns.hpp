#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// A column of the catalogue as a report reads it.
struct ReportColumn {
  std::string name, unit, description;
  bool is_whole = false;  ///< its values are integers
  bool is_written = true;
  std::function<double(std::size_t)> at;  ///< the value of a row
};

/// All filled columns, those that are written first. `sources` must outlive them.
std::vector<ReportColumn> report_columns(const Sources& sources, const CatalogMetadata& metadata);

/// The column of this name; null if there is none.
const ReportColumn* find_column(const std::vector<ReportColumn>& columns, const std::string& name);

/// Light and size of the sources, for plots.
struct ReportLight {
  std::string magnitude, size;                    ///< names for axes
  std::vector<double> magnitudes, errors, sizes;  ///< NaN: unknown
  std::vector<std::size_t> order;                 ///< rows, the brightest first
};

/// Magnitudes follow from FLUX_AUTO if it is there, else from FLUX_ISO or FLUX_APER. Sizes are FLUX_RADIUS or
/// FWHM_IMAGE if they are there, else the root of A_IMAGE times B_IMAGE.
ReportLight report_light(const std::vector<ReportColumn>& columns, std::size_t rows, double zero_point);

}  // namespace srcextract
