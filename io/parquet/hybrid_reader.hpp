#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Decodes numbers of `width` bits in Parquet's RLE / bit-packing hybrid encoding (Encodings.md): runs of one repeated
/// number, and groups of eight packed numbers. Removes the bytes that were read from `bytes`. Returns false if the
/// bytes end before `out` is full.
bool read_hybrid(std::span<const std::byte>& bytes, int width, std::span<std::uint32_t> out);

}  // namespace srcextract
