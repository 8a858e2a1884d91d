#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sextractor/translation.hpp"

namespace srcextract::sextractor {

/// Puts entries into the order of our sections.
void sort_by_section(std::vector<Entry>& entries);

/// The entries as YAML, each after a comment with what it is from; those of a section must be together. `lines` become
/// those at which they stand.
std::string entries_as_yaml(const std::vector<Entry>& entries, std::vector<std::size_t>& lines);

/// The whole configuration, with what is not in it as comments.
std::string as_yaml(const Request& request, const Translation& translation);

}  // namespace srcextract::sextractor
