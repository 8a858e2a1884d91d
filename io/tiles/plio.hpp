#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Decodes the integers of a tile that PLIO_1 compressed (FITS Standard 4.0, 10.4.3): a list of instructions of 16
/// bits. Pixels behind those of the list are 0, as IRAF has it. False if the list is not one of as many pixels, or none
/// at all, which are then undefined; nothing outside of the stream is read.
bool decode_plio(std::span<const std::byte> stream, std::span<std::int32_t> pixels);

}  // namespace srcextract
