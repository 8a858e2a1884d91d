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

/// How RICE_1 (FITS Standard 4.0, 10.4.1) writes integers of so many bits. The first of a tile stands there as it is.
/// Every block then begins with the number, plus one, of low bits that the codes of its differences have, in
/// `number_bits`: 0 means that all are zero, `as_they_are` low bits that the codes stand there as they are.
struct RiceCoding {
  int pixel_bits, number_bits, as_they_are;
};

/// Of 1, 2 or 4 bytes (BYTEPIX).
SRCEXTRACT_HOST_DEVICE constexpr RiceCoding rice_coding(std::int64_t pixel_bytes) {
  return pixel_bytes == 1 ? RiceCoding{8, 3, 6} : pixel_bytes == 2 ? RiceCoding{16, 4, 14} : RiceCoding{32, 5, 25};
}

/// A rectangle of a plane, and the stream that its pixels were made into.
struct RiceTile {
  std::span<const std::byte> stream;  ///< none: it is not RICE's, or known to be damaged
  std::int64_t x = 0, y = 0, width = 0, height = 0;
  Quantisation quantisation = {};  ///< of floats
};

/// The tiles of a plane that RICE_1 compressed, none of which reaches into another plane, for who decodes them by
/// itself. What they make is what the plane's source reads.
struct RicePlane {
  std::int64_t pixel_bytes = 4, block = 32;  ///< BYTEPIX and BLOCKSIZE
  bool quantised = false;                    ///< the integers stand for floats
  Dither dither = Dither::none;              ///< of these
  std::int64_t tiles = 0;
  std::int64_t most_pixels = 0;                          ///< of a tile
  std::function<RiceTile(std::int64_t)> tile = nullptr;  ///< by its number in the plane, row after row; by any thread
};

/// The `read` of a PixelSource whose pixels are decompressed as they are read.
struct CompressedRead {
  std::function<void(std::int64_t first, std::int64_t count, std::byte* out)> decode;
  std::function<std::optional<RicePlane>()> rice;  ///< the compressed pixels, if they are of this kind

  /// Null if the source is another.
  static const CompressedRead* of(const PixelSource& source) { return source.read.target<CompressedRead>(); }

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const { decode(first, count, out); }
};

}  // namespace srcextract
