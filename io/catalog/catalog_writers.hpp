#pragma once

#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"

namespace srcextract {

/// The FITS unit string of a column, empty if dimensionless.
std::string unit_of(const Column& column, const CatalogMetadata& metadata);

/// HISTORY lines of a FITS table: the program's options, then its configuration line by line.
std::vector<std::string> history_lines(const CatalogMetadata& metadata);

/// Writers of whole catalogues. io/catalog/row_sink.hpp has the writers that take rows in pieces.
void write_regions(OutputFile& file, const Sources& sources);
void write_crtf(OutputFile& file, const Sources& sources);

}  // namespace srcextract
