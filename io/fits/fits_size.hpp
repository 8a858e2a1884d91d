#pragma once

#include <cstdint>
#include <string>

#include "io/files/gzip.hpp"

namespace srcextract {

/// How much of a gzipped FITS file is to be inflated: up to the end of its last HDU, by what its headers say. Where a
/// header makes no sense, no more than that. Asked for more than `most` bytes it throws Error{memory}, before any of
/// them is inflated; `path` is for the message.
SizeNeeded fits_size_needed(std::string path, std::int64_t most);

}  // namespace srcextract
