#pragma once

#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"

namespace srcextract {

/// The FITS unit string of a column, empty if dimensionless.
std::string unit_of(const Column& column, const CatalogMetadata& metadata);

/// What the header of a FITS table says of how it was made, a HISTORY for each: what the program was told besides its
/// configuration, and that, line by line.
std::vector<std::string> history_lines(const CatalogMetadata& metadata);

/// Writers of whole catalogues; io/catalog/row_sink.hpp has those that take rows piece by piece.
void write_fits_catalog(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata, const Cpu& where);
void write_regions(OutputFile& file, const Sources& sources);
void write_crtf(OutputFile& file, const Sources& sources);

}  // namespace srcextract
