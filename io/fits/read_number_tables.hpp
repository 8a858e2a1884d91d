#pragma once

#include <string>
#include <vector>

#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Reads header cards and first row of each binary table of a FITS file of at most 256 MiB, gzipped or not. Only
/// columns of numbers are read: not text, logicals, bits, complex numbers, elements of variable length, or more than 16
/// Mi values. Throws Error{config} if the file cannot be read, or is no FITS file or a damaged one.
std::vector<NumberTable> read_number_tables(const std::string& path);

}  // namespace srcextract
