#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace srcextract {

/// Number of bytes from the begin of a file by which its kind is recognised.
inline constexpr std::size_t foreign_bytes = 16;

/// Returns what a file that is not FITS is, and a command that makes FITS of it, as the end of a message that begins
/// with "not a FITS file". Kinds: bzip2, xz, zstd, compress, zip, XISF, TIFF, PNG, JPEG, raw files of cameras, web
/// pages. `begin`: the first bytes of the file, at most foreign_bytes. Returns an empty text for another kind.
std::string describe_foreign_file(std::span<const std::byte> begin, const std::string& path);

/// Returns true if there is a file of this name that describe_foreign_file() describes.
bool is_foreign_file(const std::string& path);

}  // namespace srcextract
