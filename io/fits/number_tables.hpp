#pragma once

#include <string>
#include <vector>

#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Reads the binary tables of a FITS file of at most 256 MiB, gzipped or not. A column of text, of complex numbers or
/// of variable length is left out, and so is one of more than 16 Mi values. Throws Error{config} if the file cannot be
/// read, or is no FITS file or a damaged one.
std::vector<NumberTable> read_number_tables(const std::string& path);

}  // namespace srcextract
