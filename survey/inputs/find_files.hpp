#pragma once

#include <functional>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// True of .fits, .fit or .fts, with .fz or .gz after it or not, in any case, but for hidden ones and the outputs of
/// this program.
bool is_image_name(const std::string& file_name);

/// With size and time of the file, if it is one.
ImageFile look_at(const std::string& path, const std::string& name);

/// Calls on_file for every image in a directory and below it, in no order, and on_unreadable(path, name, reason) for
/// every directory there that cannot be read; its own name is empty. Every directory is read once, also where links
/// lead to it: under its own name if it has one here, else under the first in the order of names. A file is looked at
/// once.
void find_below(const std::string& directory, const std::function<void(ImageFile)>& on_file,
                const std::function<void(const std::string& path, const std::string& name, const std::string& reason)>&
                    on_unreadable);

/// True if the text has a character that means more than itself to find_matches.
bool is_pattern(const std::string& text);

/// The paths that match a pattern, as the C library's glob() finds them. Throws Error{input} if a directory on the way
/// cannot be read.
std::vector<std::string> find_matches(const std::string& pattern);

}  // namespace srcextract
