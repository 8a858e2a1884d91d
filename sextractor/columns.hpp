#pragma once

#include <string>
#include <vector>

namespace srcextract::sextractor {

// Which of the columns that `source-extractor -dp` lists there are here.

/// All of them.
std::vector<std::string> sextractor_columns();
bool is_sextractor_column(const std::string& name);

/// Our name of a column of SExtractor's; empty if there is none.
std::string our_column(const std::string& name);

/// Why there is none, and what comes nearest.
std::string why_no_column(const std::string& name);

}  // namespace srcextract::sextractor
