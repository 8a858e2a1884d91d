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

/// Parameters of the compression RICE_1 (FITS Standard 4.0, section 10.4.1) for integers of `pixel_bits` bits. A tile
/// stores the first integer verbatim, then blocks of differences between neighbours. A block begins with a header of
/// `number_bits` bits. A header of 0 means that all differences are zero. Otherwise the header is 1 + the number of low
/// bits that each code stores verbatim; if this number equals `as_they_are`, the block stores all bits verbatim.
struct RiceCoding {
  int pixel_bits, number_bits, as_they_are;
};

/// The parameters for integers of `pixel_bytes` bytes: 1, 2 or 4 (BYTEPIX).
SRCEXTRACT_HOST_DEVICE constexpr RiceCoding rice_coding(std::int64_t pixel_bytes) {
  return pixel_bytes == 1 ? RiceCoding{8, 3, 6} : pixel_bytes == 2 ? RiceCoding{16, 4, 14} : RiceCoding{32, 5, 25};
}

/// A rectangle of an image, compressed as a unit. `x` and `y` are the first column and row in the image, from 0.
struct RiceTile {
  /// the compressed pixels; empty if the tile is known to be damaged or is not compressed with RICE_1
  std::span<const std::byte> stream;
  std::int64_t x = 0, y = 0, width = 0, height = 0;
  Quantisation quantisation = {};  ///< used if the integers are quantised floats
};

/// The compressed tiles of an image in RICE_1, for a decoder outside PixelSource::read (on the device). The decoder
/// must return the same pixels as PixelSource::read. No tile extends into another plane of a data cube.
struct RicePlane {
  std::int64_t pixel_bytes = 4, block = 32;  ///< BYTEPIX and BLOCKSIZE
  bool quantised = false;                    ///< whether the integers are quantised floats
  Dither dither = Dither::none;              ///< the dithering of the quantised floats
  std::int64_t tiles = 0;
  std::int64_t most_pixels = 0;  ///< largest number of pixels in a tile
  /// returns the tile with this index, which counts from 0 row by row; thread-safe
  std::function<RiceTile(std::int64_t)> tile = nullptr;
};

/// The function object in PixelSource::read if the file is compressed. A call decompresses the pixels that are read.
struct CompressedRead {
  std::function<void(std::int64_t first, std::int64_t count, std::byte* out)> decode;
  /// returns the tiles; nothing if the compression is not RICE_1, or if tiles extend into other planes of a data cube
  std::function<std::optional<RicePlane>()> rice;

  /// Returns the CompressedRead of a source, or null if the source is not compressed.
  static const CompressedRead* of(const PixelSource& source) { return source.read.target<CompressedRead>(); }

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const { decode(first, count, out); }
};

}  // namespace srcextract
