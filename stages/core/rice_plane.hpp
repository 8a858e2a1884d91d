#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "stages/core/host_device.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/quantisation.hpp"

namespace srcextract {

/// Parameters of RICE_1 (FITS Standard 4.0, 10.4.1) for integers of `pixel_bits` bits. The first integer of a tile is
/// stored verbatim. Every block of differences begins with a number of `number_bits` bits: 1 + the count of low bits in
/// each code.
/// - 0: all differences are zero.
/// - A count of `as_they_are`: the differences are stored verbatim.
struct RiceCoding {
  int pixel_bits, number_bits, as_they_are;
};

/// The parameters for integers of 1, 2 or 4 bytes (BYTEPIX).
SRCEXTRACT_HOST_DEVICE constexpr RiceCoding rice_coding(std::int64_t pixel_bytes) {
  return pixel_bytes == 1 ? RiceCoding{8, 3, 6} : pixel_bytes == 2 ? RiceCoding{16, 4, 14} : RiceCoding{32, 5, 25};
}

/// A rectangle of a plane, with the compressed stream of its pixels.
struct RiceTile {
  std::span<const std::byte> stream;  ///< empty if the tile is not RICE_1, or known to be damaged
  std::int64_t x = 0, y = 0, width = 0, height = 0;
  Quantisation quantisation = {};  ///< used if the integers stand for floats
};

/// The tiles of a plane compressed with RICE_1, for decoding them other than by the plane's source. No tile contains
/// pixels of another plane. The decoded pixels must equal those that the source reads.
struct RicePlane {
  std::int64_t pixel_bytes = 4, block = 32;  ///< BYTEPIX and BLOCKSIZE
  bool quantised = false;                    ///< the integers stand for floats
  Dither dither = Dither::none;              ///< how the floats were dithered before they became integers
  std::int64_t tiles = 0;
  std::int64_t most_pixels = 0;                          ///< largest number of pixels in a tile
  std::function<RiceTile(std::int64_t)> tile = nullptr;  ///< returns a tile by its number, row after row; thread-safe
};

/// A function for PixelSource::read that decompresses the pixels which it reads.
struct CompressedRead {
  std::function<void(std::int64_t first, std::int64_t count, std::byte* out)> decode;
  std::function<std::optional<RicePlane>()> rice;  ///< the compressed pixels, if they are RICE_1

  /// Returns the reader of a source if the source is compressed, else null.
  static const CompressedRead* of(const PixelSource& source) { return source.read.target<CompressedRead>(); }

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const { decode(first, count, out); }
};

}  // namespace srcextract
