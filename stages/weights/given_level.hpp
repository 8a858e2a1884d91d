#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Subtracts the level of the sky that is given for every pixel, pixel - level in float. Where the level is masked the
/// pixel is, with its variance if there is one, and counted in masked.level unless it was masked before.
void subtract_level(const Image<float, Cpu>& level, Pixels<Cpu>& pixels, const Cpu& where);
void subtract_level(const Image<float, Gpu>& level, Pixels<Gpu>& pixels, const Gpu& where);

/// A plane that has one value all over.
PixelSource constant_source(const Shape& shape, double value);

}  // namespace srcextract
