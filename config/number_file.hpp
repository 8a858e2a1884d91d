#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/settings/number_lines.hpp"

namespace srcextract::config {

/// Size limit in bytes for a configuration file or a file of numbers. Real files are far smaller; the limit bounds time
/// and memory if a user names a wrong file.
inline constexpr std::size_t most_bytes = std::size_t{1} << 20;

/// Returns the first most_bytes + 1 bytes of a file. A longer text than most_bytes shows that the file is too large,
/// and load_yaml() refuses it. Throws Error{config} if the file cannot be read.
std::string read_file(const std::string& path);

/// Reads the numbers in a text file of at most 1 MiB by `read`, which gets the words of each line except blank lines
/// and comment lines (#). Lines may end in CRLF. Throws Error{config} if the file cannot be read, or if `read` reports
/// a problem. The message begins with `path:` or `path:line:`.
std::vector<double> read_numbers(const std::string& path, ReadNumbers read);

}  // namespace srcextract::config
