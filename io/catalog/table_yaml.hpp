#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"

namespace srcextract {

/// What is said of the columns and of the table, as the YAML of ECSV 1.0 (Astropy Proposal for Enhancement 6), which
/// stands in a Parquet file as well. The configuration stands in it as a block of text, ready to be run again.
std::string table_yaml(const CatalogRows& rows, const CatalogMetadata& metadata);

}  // namespace srcextract
