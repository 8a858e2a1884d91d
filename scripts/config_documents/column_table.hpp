#pragma once

#include <string>

namespace srcextract::documents {

/// The table of the catalogue's columns in docs/catalogue.md, in their order.
std::string column_table();

}  // namespace srcextract::documents
