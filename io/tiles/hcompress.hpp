#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace srcextract {

/// Head of the stream of a tile compressed with HCOMPRESS_1 (FITS Standard 4.0, 10.4.4).
struct HcompressTile {
  std::int64_t rows = 0, columns = 0;
  std::int32_t scale = 0;  ///< quantisation step, of which coefficients are multiples; 0 and 1: lossless
};

/// Reads the head of a tile's stream; nothing if it is not that of a tile of `pixels` pixels. Memory is allocated only
/// after this check.
std::optional<HcompressTile> read_hcompress_head(std::span<const std::byte> stream, std::int64_t pixels);

/// Decodes the integers of a tile: the H-transform of R. L. White (1992, "High-performance compression of astronomical
/// images"), with its coefficients as quadtrees of their bits.
/// - `Coefficient` is std::int32_t for pixels of 8 and 16 bits, else std::int64_t. Overflow wraps, in the end to 32
///   bits.
/// - `smooth` (SMOOTH of the compression) evens out steps between blocks of pixels, as far as `scale` allows.
/// - False if the stream does not hold that many pixels, which are then undefined.
///
/// Nothing outside the stream is read, and the number of pixels bounds the work.
template <class Coefficient>
bool decode_hcompress(std::span<const std::byte> stream, bool smooth, std::span<std::int32_t> pixels);

}  // namespace srcextract
