#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace srcextract {

/// Big-endian pixels of a tile compressed with GZIP_1 or GZIP_2 (FITS Standard 4.0, 10.4.2).
struct GzipTile {
  std::unique_ptr<std::byte[]> bytes;
  std::int64_t pixel_bytes = 0;  ///< 0 if the tile is damaged
};

/// Whether the stream is long enough for `pixels` pixels.
bool can_be_gzip(std::span<const std::byte> stream, std::int64_t pixels);

/// Inflates a tile. `pixel_bytes` lists the possible sizes of a pixel. With `shuffled`, the first bytes of all pixels
/// come first, then the second bytes, and so on (GZIP_2).
GzipTile inflate_tile(std::span<const std::byte> stream, std::int64_t pixels,
                      std::initializer_list<std::int64_t> pixel_bytes, bool shuffled);

}  // namespace srcextract
