#pragma once

#include <string>
#include <vector>

#include "survey/inputs/file_status.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// True of .fits, .fit or .fts, with .fz or .gz after it or not, in any case, but for hidden ones and the outputs of
/// this program.
bool is_image_name(const std::string& file_name);

/// A file of which that is known.
ImageFile image_file(std::string path, std::string name, const FileStatus& status);

/// With size and time of the file, if it is one.
ImageFile look_at(const std::string& path, const std::string& name);

/// True if the text has a character that means more than itself to find_matches.
bool is_pattern(const std::string& text);

/// The paths that match a pattern, as the C library's glob() finds them. Throws Error{input} if a directory on the way
/// cannot be read.
std::vector<std::string> find_matches(const std::string& pattern);

}  // namespace srcextract
