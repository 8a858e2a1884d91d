#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"

namespace srcextract {

/// A VOTable (IVOA Recommendation 1.4) of one TABLE of `count` rows, which it does not tell if there is none, up to its
/// DATA: a FIELD for each column, with what
/// the column's declaration says; an INFO for what was run, and a PARAM for what is known of the image.
std::string votable_head(const CatalogRows& rows, std::optional<std::int64_t> count, const CatalogMetadata& metadata);

/// What ends it after DATA.
inline constexpr const char* votable_end = "</TABLE>\n</RESOURCE>\n</VOTABLE>\n";

}  // namespace srcextract
