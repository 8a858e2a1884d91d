#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// `text` with '?' for every control character and every byte that is not UTF-8. Names of files, HDUs and columns may
/// hold any byte, including terminal commands and bytes that XML forbids.
std::string printable(std::string_view text);

/// As printable(), for a file's name without its directory; empty for an empty path.
std::string printable_name(const std::string& path);

}  // namespace srcextract
