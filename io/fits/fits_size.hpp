#pragma once

#include <cstdint>
#include <string>

#include "io/files/gzip.hpp"

namespace srcextract {

/// How much of a gzipped FITS file to inflate: up to the end of the last HDU, according to its headers. Inflation stops
/// at an invalid header. Throws Error{memory} before it inflates data beyond `most` bytes; `path` is for the message.
SizeNeeded fits_size_needed(std::string path, std::int64_t most);

}  // namespace srcextract
