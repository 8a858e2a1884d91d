#pragma once

#include "io/catalog.hpp"
#include "io/output_file.hpp"

namespace srcextract {

/// The FITS unit string of a column, empty if dimensionless.
std::string unit_of(const Column& column, const CatalogMetadata& metadata);

/// One writer per format of write_catalog.
void write_fits_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata, const Cpu& where);
void write_ecsv_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata);
void write_csv_catalog(OutputFile& file, const Sources& sources);
void write_regions(OutputFile& file, const Sources& sources);

}  // namespace srcextract
