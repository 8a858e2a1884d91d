#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "io/files/output_file.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Red, green and blue (0 to 255) for each pixel value, from value 0 on.
using Palette = std::span<const std::array<std::uint8_t, 3>>;

/// Writes an 8-bit PNG; the caller commits the file. Row 0 is at the bottom, as FITS viewers show images. Without a
/// palette the image is grey. A palette has at most 256 entries, one for every pixel value that occurs. The PNG is not
/// compressed: compression makes a noisy image of the sky only an eighth smaller and takes ten times as long
/// (measured). Throws Error{output} or Error{storage}.
OutputFile write_png(const std::string& path, const Image<std::uint8_t, Cpu>& image, Palette palette = {});

/// Returns the bytes of a compressed grey PNG, row 0 at the bottom. Throws Error{output}.
std::string encode_png(const Image<std::uint8_t, Cpu>& image);

}  // namespace srcextract
