#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "io/files/output_file.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Red, green and blue of every value of a pixel, from 0 on.
using Palette = std::span<const std::array<std::uint8_t, 3>>;

/// Writes an image as 8-bit PNG, complete but for the commit, in which its row 0 is at the bottom, as viewers show
/// FITS: of grey, or of the colours of a palette, at most 256, which has every value that occurs. Made for speed rather
/// than for size: not compressed, which of a noisy sky would save an eighth and take ten times as long. Throws
/// Error{output}, or Error{storage}.
OutputFile write_png(const std::string& path, const Image<std::uint8_t, Cpu>& image, Palette palette = {});

}  // namespace srcextract
