#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"

namespace srcextract {

/// A VOTable (IVOA Recommendation 1.4) with one TABLE of `count` rows, up to DATA; nrows is left out without `count`.
/// Each column has a FIELD with its declaration. INFOs record the run, and PARAMs describe the image.
std::string votable_head(const CatalogRows& rows, std::optional<std::int64_t> count, const CatalogMetadata& metadata);

/// The end of the VOTable after DATA.
inline constexpr const char* votable_end = "</TABLE>\n</RESOURCE>\n</VOTABLE>\n";

}  // namespace srcextract
