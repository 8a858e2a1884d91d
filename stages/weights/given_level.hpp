#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Subtracts a map of the sky level from every pixel of pixels.image and pixels.kept, in float. Where the level is
/// masked, the pixel and its variance become masked. masked.level counts the pixels of pixels.image that become masked.
void subtract_level(const Image<float, Cpu>& level, Pixels<Cpu>& pixels, const Cpu& where);
void subtract_level(const Image<float, Gpu>& level, Pixels<Gpu>& pixels, const Gpu& where);

/// A source of pixels that all have the same value, without a file.
PixelSource constant_source(const Shape& shape, double value);

}  // namespace srcextract
