#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// True for .fits, .fit or .fts, optionally followed by .fz or .gz, in any case. False for hidden files and outputs of
/// this program.
bool is_image_name(const std::string& file_name);

/// True if the text has a character that is special in find_matches.
bool is_pattern(const std::string& text);

/// The paths that match a pattern, found by the C library's glob(). Throws Error{input} if a directory on the way
/// cannot be read.
std::vector<std::string> find_matches(const std::string& pattern);

}  // namespace srcextract
