#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"

namespace srcextract {

/// Returns the metadata of the table and its columns as the YAML of ECSV 1.0 (Astropy Proposal for Enhancement 6).
/// Parquet files contain this YAML too. The configuration is a block of text, which can be saved and used again.
std::string table_yaml(const CatalogRows& rows, const CatalogMetadata& metadata);

}  // namespace srcextract
