#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// True for names that end in .fits, .fit or .fts, optionally followed by .fz or .gz, in upper or lower case. False for
/// hidden files and for names of this program's outputs.
bool is_image_name(const std::string& file_name);

/// Whether the text contains a wildcard of glob(): *, ? or [.
bool is_pattern(const std::string& text);

/// The paths that match a pattern of the C library's glob(), sorted. Throws Error{input} if a directory that the
/// pattern leads to cannot be read.
std::vector<std::string> find_matches(const std::string& pattern);

}  // namespace srcextract
