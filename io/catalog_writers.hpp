#pragma once

#include "io/catalog.hpp"
#include "io/output_file.hpp"

namespace srcextract {

/// One writer per format of write_catalog; each leaves the commit to it.
void write_fits_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata);
void write_ecsv_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata);
void write_csv_catalog(OutputFile& file, const Sources& sources);
void write_regions(OutputFile& file, const Sources& sources);

}  // namespace srcextract
