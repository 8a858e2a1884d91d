#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Decodes numbers of `width` bits in Parquet's hybrid of runs and packs of eight (Encodings.md, RLE). Consumes the
/// bytes it reads. False if they end before `out` is full.
bool read_hybrid(std::span<const std::byte>& bytes, int width, std::span<std::uint32_t> out);

}  // namespace srcextract
