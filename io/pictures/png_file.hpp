#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "io/files/output_file.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Red, green and blue for each pixel value, from 0 on.
using Palette = std::span<const std::array<std::uint8_t, 3>>;

/// Writes an 8-bit PNG; the caller commits the file. Row 0 is at the bottom, as FITS viewers show it. The image is
/// grey, or coloured by a palette of at most 256 entries that covers every pixel value. The PNG is not compressed:
/// compression would save an eighth of a noisy sky and take ten times as long. Throws Error{output} or Error{storage}.
OutputFile write_png(const std::string& path, const Image<std::uint8_t, Cpu>& image, Palette palette = {});

/// The bytes of such a PNG in grey, compressed. Throws Error{output}.
std::string encode_png(const Image<std::uint8_t, Cpu>& image);

}  // namespace srcextract
