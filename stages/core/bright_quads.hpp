#pragma once

#include "stages/core/value.hpp"

namespace srcextract {

/// For each quad (four neighbouring pixels) of an image, whether one of its pixels is above a limit. A stage that reads
/// all pixels stores this for later stages that look for bright pixels. Quads only save reading: results do not depend
/// on them. On the host there are none.
template <class Where>
struct BrightQuads {};

template <>
struct BrightQuads<Gpu> {
  /// Smaller images have no quads, since the device's cache still holds their pixels when a stage reads them again.
  std::int64_t least_pixels = std::int64_t{1} << 23;

  const float* of = nullptr;         ///< pixels of the image, unchanged since; null: there are no quads
  Buffer<std::uint32_t, Gpu> quads;  ///< bit i % 32 of word i / 32 stands for pixels 4 i to 4 i + 3 in memory order
  Value<float, Gpu> limit;

  /// Returns the words of quads if they are of the image with these pixels, else null.
  const std::uint32_t* quads_of(const float* pixels) const { return of == pixels ? quads.data() : nullptr; }
};

}  // namespace srcextract
