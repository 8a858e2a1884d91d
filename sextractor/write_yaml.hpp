#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sextractor/translation.hpp"

namespace srcextract::sextractor {

/// Sorts entries into the order of our sections.
void sort_by_section(std::vector<Entry>& entries);

/// The entries as YAML, each after a comment with its origin. The entries of a section must be adjacent. `lines`
/// receives the line of each entry, from 1.
std::string entries_as_yaml(const std::vector<Entry>& entries, std::vector<std::size_t>& lines);

/// The whole configuration; unmet requests become comments.
std::string as_yaml(const Request& request, const Translation& translation);

}  // namespace srcextract::sextractor
