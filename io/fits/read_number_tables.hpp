#pragma once

#include <string>
#include <vector>

#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Reads the header cards and the first row of each binary table in a FITS file, gzipped or not. The file may have up
/// to 256 MiB, inflated. Columns of text, logicals, bits, complex numbers or elements of variable length are left out,
/// and those of more than 2^24 values a row. Throws Error{config} if the file cannot be read, is not FITS or is
/// damaged.
std::vector<NumberTable> read_number_tables(const std::string& path);

}  // namespace srcextract
