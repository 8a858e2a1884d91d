#pragma once

#include <string>
#include <vector>

namespace srcextract::sextractor {

// Columns of `source-extractor -dp`, and their counterparts here.

/// All of SExtractor's columns.
std::vector<std::string> sextractor_columns();
bool is_sextractor_column(const std::string& name);

/// srcextract's name for a SExtractor column; empty if srcextract has no such column.
std::string our_column(const std::string& name);

/// Why a SExtractor column is not available, and the nearest alternative; empty if it is available.
std::string why_no_column(const std::string& name);

}  // namespace srcextract::sextractor
