#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace srcextract {

/// What the stream of a tile that HCOMPRESS_1 compressed (FITS Standard 4.0, 10.4.4) begins with.
struct HcompressTile {
  std::int64_t rows = 0, columns = 0;
  std::int32_t scale = 0;  ///< the coefficients are multiples of it; 0 and 1: nothing was lost
};

/// Nothing if the stream does not begin as one of so many pixels does: a tile is not worth its memory then.
std::optional<HcompressTile> read_hcompress_head(std::span<const std::byte> stream, std::int64_t pixels);

/// Decodes the integers of a tile: the H-transform of R. L. White (1992, "High-performance compression of astronomical
/// images"), whose coefficients stand there as the quadtrees of their bits. `Coefficient` is std::int32_t for pixels of
/// 8 and 16 bits, else std::int64_t: what is beyond it wraps, and beyond 32 bits in the end, too. With `smooth` (SMOOTH
/// of the compression) steps between blocks of pixels are evened out as far as `scale` allows. False if the stream is
/// not that of so many pixels, which are then undefined; nothing outside of the stream is read, and the work has a
/// bound that the number of pixels gives.
template <class Coefficient>
bool decode_hcompress(std::span<const std::byte> stream, bool smooth, std::span<std::int32_t> pixels);

}  // namespace srcextract
