#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"

namespace srcextract {

/// Returns the start of a VOTable (IVOA Recommendation 1.4), up to the element DATA. The VOTable has one TABLE of
/// `count` rows; without `count` the attribute nrows is left out. A FIELD declares each column. INFO elements state
/// options and configuration, and PARAM elements describe the image.
std::string votable_head(const CatalogRows& rows, std::optional<std::int64_t> count, const CatalogMetadata& metadata);

/// The end of the VOTable, after the element DATA.
inline constexpr const char* votable_end = "</TABLE>\n</RESOURCE>\n</VOTABLE>\n";

}  // namespace srcextract
