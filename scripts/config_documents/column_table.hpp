#pragma once

#include <string>

namespace srcextract::documents {

/// The Markdown table of all catalogue columns, in catalogue order, for docs/catalogue.md.
std::string column_table();

}  // namespace srcextract::documents
