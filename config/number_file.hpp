#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/settings/number_lines.hpp"

namespace srcextract::config {

/// Limit on the bytes of a configuration or a file of numbers, far more than either needs; it bounds the cost of a
/// wrong file.
inline constexpr std::size_t most_bytes = std::size_t{1} << 20;

/// The text of a file: all of it up to 1 MiB, or 1 MiB and a byte of a larger one, which load_yaml refuses. Throws
/// Error{config} if it cannot be read.
std::string read_file(const std::string& path);

/// Reads the numbers in a text file of at most 1 MiB. Lines may end in CRLF. Throws Error{config}, which begins `path:`
/// or `path:line:`, if the file cannot be read, or with the problem that `read` finds.
std::vector<double> read_numbers(const std::string& path, ReadNumbers read);

}  // namespace srcextract::config
