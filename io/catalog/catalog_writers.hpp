#pragma once

#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"

namespace srcextract {

/// Returns the unit of a column as in FITS; empty if the column is dimensionless.
std::string unit_of(const Column& column, const CatalogMetadata& metadata);

/// Returns the texts of HISTORY cards for a FITS table: the command-line options that name inputs and bands, then the
/// configuration line by line.
std::vector<std::string> history_lines(const CatalogMetadata& metadata);

/// Write a whole catalogue as regions of DS9 or CASA. io/catalog/row_sink.hpp declares the writers that take rows in
/// pieces.
void write_regions(OutputFile& file, const Sources& sources);
void write_crtf(OutputFile& file, const Sources& sources);

}  // namespace srcextract
