#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace srcextract {

/// Whether the bytes of a tile can be those of so many pixels, by the compression methods of FITS Standard 4.0, 10.4.
/// A stream that is refused could make a decoder that trusts it leave its memory.

/// The lengths that the tile tells, alone: they decide what the decoder writes.
bool is_hcompress_tile(std::span<const std::byte> stream, std::int64_t pixels);

/// The length that the list tells.
bool is_plio_tile(std::span<const std::byte> stream);

/// The pixels take `pixel_bytes` each; inflates the stream.
bool is_gzip_tile(std::span<const std::byte> stream, std::int64_t pixels,
                  std::initializer_list<std::int64_t> pixel_bytes);

}  // namespace srcextract
