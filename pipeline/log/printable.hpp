#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// `text` with '?' for every control character and every byte that is not of UTF-8: names of files, HDUs and columns
/// may hold any byte, also what a terminal obeys or an XML reader refuses.
std::string printable(std::string_view text);

/// The same of a file's name without its directory; empty for no path.
std::string printable_name(const std::string& path);

}  // namespace srcextract
