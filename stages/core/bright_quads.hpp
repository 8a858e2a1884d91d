#pragma once

#include "stages/core/value.hpp"

namespace srcextract {

/// Bits that say which quads (four pixels that follow one another in memory) have a pixel above `limit`. A stage that
/// reads all pixels stores the bits; a later stage then skips quads without bright pixels. Results are the same without
/// the bits. The host has none.
template <class Where>
struct BrightQuads {};

template <>
struct BrightQuads<Gpu> {
  /// Smallest number of pixels of an image with quads. The device's cache still holds the pixels of a smaller image
  /// when a later stage reads the pixels again.
  std::int64_t least_pixels = std::int64_t{1} << 23;

  const float* of = nullptr;  ///< pixels of the image that the quads describe; null: the bits are not set
  /// bit i % 32 of word i / 32 belongs to quad i, pixels 4 i to 4 i + 3 in memory order
  Buffer<std::uint32_t, Gpu> quads;
  Value<float, Gpu> limit;

  /// Returns the bits of the quads if they describe the image with these pixels, else null.
  const std::uint32_t* quads_of(const float* pixels) const { return of == pixels ? quads.data() : nullptr; }
};

}  // namespace srcextract
