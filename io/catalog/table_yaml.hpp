#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"

namespace srcextract {

/// Metadata of the table and its columns, as the YAML of ECSV 1.0 (Astropy Proposal for Enhancement 6). Parquet files
/// carry it too. The configuration is a block of text, ready to be run again.
std::string table_yaml(const CatalogRows& rows, const CatalogMetadata& metadata);

}  // namespace srcextract
