#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Returns false if the stream is too short for `pixels` pixels. In files of IRAF and CFITSIO an instruction of one
/// word covers at most 4095 pixels, and instructions cover the zeros at the end too. For simplicity, the words of the
/// head count as instructions.
bool can_be_plio(std::span<const std::byte> stream, std::int64_t pixels);

/// Decodes the integers of a tile compressed with PLIO_1 (FITS Standard 4.0, 10.4.3), a list of 16-bit instructions.
/// Pixels after the last instruction are 0, as in IRAF. Returns false if the list is invalid or has too many pixels;
/// the pixels are then undefined. Reads nothing outside the stream.
bool decode_plio(std::span<const std::byte> stream, std::span<std::int32_t> pixels);

}  // namespace srcextract
