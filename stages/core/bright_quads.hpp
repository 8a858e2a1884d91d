#pragma once

#include "stages/core/value.hpp"

namespace srcextract {

/// What a look at all pixels of an image leaves for those who look for bright ones afterwards: which quads, four
/// neighbours each, have any above a limit. It only saves reading; what is found does not depend on it. On the host
/// nothing is left.
template <class Where>
struct BrightQuads {};

template <>
struct BrightQuads<Gpu> {
  /// Nothing is left of smaller images: they are in the device's cache when they are read again.
  std::int64_t least_pixels = std::int64_t{1} << 23;

  const float* of = nullptr;         ///< the pixels of that image, unchanged since then; null: there is none
  Buffer<std::uint32_t, Gpu> quads;  ///< bit i % 32 of word i / 32: of pixels 4 i to 4 i + 3, as they lie in memory
  Value<float, Gpu> limit;

  /// The words, if they are of that image.
  const std::uint32_t* quads_of(const float* pixels) const { return of == pixels ? quads.data() : nullptr; }
};

}  // namespace srcextract
