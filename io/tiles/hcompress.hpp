#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace srcextract {

/// Data from the head of a stream that HCOMPRESS_1 made of a tile (FITS Standard 4.0, 10.4.4).
struct HcompressTile {
  std::int64_t rows = 0, columns = 0;
  std::int32_t scale = 0;  ///< quantisation step of the coefficients; 0 or 1 if lossless
};

/// Reads the head of a tile's stream. Returns nothing if the head is damaged or does not tell `pixels` pixels. Callers
/// make this check before they allocate memory for the pixels.
std::optional<HcompressTile> read_hcompress_head(std::span<const std::byte> stream, std::int64_t pixels);

/// Decodes the integers of a tile. The stream holds the coefficients of an H-transform (h_transform.hpp); each bit
/// plane of a quadrant is a quadtree or a plain array.
/// - `Coefficient` is std::int32_t for pixels of 8 and 16 bits, else std::int64_t. Overflow wraps; pixels wrap to 32
/// bits.
/// - `smooth` (SMOOTH of the compression) reduces the steps between blocks of pixels, as far as `scale` allows.
/// - Returns false if the stream does not hold exactly that many pixels; the pixels are then undefined.
///
/// Reads nothing outside the stream. The number of pixels limits the time.
template <class Coefficient>
bool decode_hcompress(std::span<const std::byte> stream, bool smooth, std::span<std::int32_t> pixels);

}  // namespace srcextract
