#pragma once

#include <string>
#include <vector>

#include "stages/settings/number_lines.hpp"

namespace srcextract::config {

/// The numbers of a text file of at most 1 MiB that a key names. Lines may end in CRLF. Throws Error{config}, which
/// begins `path:` or `path:line:`, if the file cannot be read, or with the problem that `read` finds.
std::vector<double> read_numbers(const std::string& path, ReadNumbers read);

}  // namespace srcextract::config
