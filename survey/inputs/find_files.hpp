#pragma once

#include <string>
#include <vector>

#include "survey/inputs/file_status.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// True for .fits, .fit or .fts, optionally followed by .fz or .gz, in any case. False for hidden files and outputs of
/// this program.
bool is_image_name(const std::string& file_name);

/// An ImageFile from a known status.
ImageFile image_file(std::string path, std::string name, const FileStatus& status);

/// An ImageFile with the size and time of the file, if it exists.
ImageFile look_at(const std::string& path, const std::string& name);

/// True if the text has a character that is special in find_matches.
bool is_pattern(const std::string& text);

/// The paths that match a pattern, found by the C library's glob(). Throws Error{input} if a directory on the way
/// cannot be read.
std::vector<std::string> find_matches(const std::string& pattern);

}  // namespace srcextract
