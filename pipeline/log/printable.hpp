#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// Returns `text` with '?' for every byte of control characters and of characters that end in FFFE or FFFF, and for
/// every byte that is not valid UTF-8. File names, HDU names and column names may contain any byte, including terminal
/// commands and characters that XML does not allow.
std::string printable(std::string_view text);

/// Like printable(), for the file name at the end of `path`. Empty if `path` is empty.
std::string printable_name(const std::string& path);

}  // namespace srcextract
