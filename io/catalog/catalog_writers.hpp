#pragma once

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"

namespace srcextract {

/// The FITS unit string of a column, empty if dimensionless.
std::string unit_of(const Column& column, const CatalogMetadata& metadata);

/// One writer per format of write_catalog and write_table.
void write_fits_catalog(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata, const Cpu& where);
void write_ecsv_catalog(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata);
void write_csv_catalog(OutputFile& file, const CatalogRows& rows);
void write_regions(OutputFile& file, const Sources& sources);

}  // namespace srcextract
