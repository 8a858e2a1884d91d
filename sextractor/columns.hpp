#pragma once

#include <string>
#include <vector>

namespace srcextract::sextractor {

// The columns that `source-extractor -dp` lists, and the corresponding columns of srcextract.

std::vector<std::string> sextractor_columns();
bool is_sextractor_column(const std::string& name);

/// srcextract's name for a SExtractor column; empty if srcextract has no such column.
std::string our_column(const std::string& name);

/// Why srcextract lacks a SExtractor column, and the nearest alternative. Empty if srcextract has the column.
std::string why_no_column(const std::string& name);

}  // namespace srcextract::sextractor
