#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Whether a stream is long enough for so many pixels: an instruction is one of 4095 at most, zeros at the end of a
/// list included, as IRAF and CFITSIO write it, and the words of the head are counted as if they were some.
bool can_be_plio(std::span<const std::byte> stream, std::int64_t pixels);

/// Decodes the integers of a tile that PLIO_1 compressed (FITS Standard 4.0, 10.4.3): a list of instructions of 16
/// bits. Pixels behind those of the list are 0, as IRAF has it. False if the list is not one of as many pixels, or none
/// at all, which are then undefined; nothing outside of the stream is read.
bool decode_plio(std::span<const std::byte> stream, std::span<std::int32_t> pixels);

}  // namespace srcextract
