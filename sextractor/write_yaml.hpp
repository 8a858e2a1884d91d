#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sextractor/translation.hpp"

namespace srcextract::sextractor {

/// Sorts entries by section, in the order in which a configuration of srcextract is usually written.
void sort_by_section(std::vector<Entry>& entries);

/// The entries as YAML, each after a comment with its origin. The entries of a section must be adjacent. Sets `lines`
/// to the line number of each entry, counted from 1.
std::string entries_as_yaml(const std::vector<Entry>& entries, std::vector<std::size_t>& lines);

/// The whole configuration as YAML. Comments at the top list everything in `translation.unmet`.
std::string as_yaml(const Request& request, const Translation& translation);

}  // namespace srcextract::sextractor
