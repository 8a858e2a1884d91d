#pragma once

#include "stages/core/value.hpp"

namespace srcextract {

/// The quads (four neighbouring pixels) of an image that have a pixel above a limit. A pass over all pixels leaves them
/// for later stages that look for bright pixels. The quads only save reading: results do not depend on them. The host
/// keeps none.
template <class Where>
struct BrightQuads {};

template <>
struct BrightQuads<Gpu> {
  /// Smaller images have no quads: the device's cache still holds the pixels when a stage reads them again.
  std::int64_t least_pixels = std::int64_t{1} << 23;

  const float* of = nullptr;         ///< pixels of the image, unchanged since; null: there are no quads
  Buffer<std::uint32_t, Gpu> quads;  ///< bit i % 32 of word i / 32 stands for pixels 4 i to 4 i + 3 in memory order
  Value<float, Gpu> limit;

  /// The words if they belong to the image with these pixels, else null.
  const std::uint32_t* quads_of(const float* pixels) const { return of == pixels ? quads.data() : nullptr; }
};

}  // namespace srcextract
