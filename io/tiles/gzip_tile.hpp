#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace srcextract {

/// The inflated pixels, big-endian, of a tile compressed with GZIP_1 or GZIP_2 (FITS Standard 4.0, 10.4.2).
struct GzipTile {
  std::unique_ptr<std::byte[]> bytes;
  std::int64_t pixel_bytes = 0;  ///< bytes per pixel; 0 if the tile is damaged
};

/// Returns false if the gzip stream is too short to hold `pixels` pixels, whatever they are.
bool can_be_gzip(std::span<const std::byte> stream, std::int64_t pixels);

/// Inflates a tile. `pixel_bytes` lists the possible numbers of bytes per pixel; the inflated size decides between
/// these. `shuffled` tells that the stream holds the first bytes of all pixels, then the second bytes, and so on
/// (GZIP_2).
GzipTile inflate_tile(std::span<const std::byte> stream, std::int64_t pixels,
                      std::initializer_list<std::int64_t> pixel_bytes, bool shuffled);

}  // namespace srcextract
