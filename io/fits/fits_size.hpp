#pragma once

#include <cstdint>
#include <string>

#include "io/files/gzip.hpp"

namespace srcextract {

/// Returns a function for inflate_gzip() that ends the inflation of a FITS file at the end of the last HDU, according
/// to the headers. At an invalid header the inflation ends too. The function throws Error{memory} if the headers tell
/// more than `most` bytes of file, before these are inflated. Error messages name `path`.
SizeNeeded fits_size_needed(std::string path, std::int64_t most);

}  // namespace srcextract
