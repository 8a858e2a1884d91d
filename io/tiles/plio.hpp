#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Whether the stream is long enough for `pixels` pixels. An instruction covers at most 4095 pixels, including the
/// final zeros of a list, as IRAF and CFITSIO write it. The words of the head are counted as instructions.
bool can_be_plio(std::span<const std::byte> stream, std::int64_t pixels);

/// Decodes the integers of a tile compressed with PLIO_1 (FITS Standard 4.0, 10.4.3): a list of 16-bit instructions.
/// Pixels beyond the list are 0, as in IRAF. False if the list is invalid or has too many pixels; the pixels are then
/// undefined. Nothing outside the stream is read.
bool decode_plio(std::span<const std::byte> stream, std::span<std::int32_t> pixels);

}  // namespace srcextract
