#pragma once

#include "stages/measure/measure.hpp"

namespace srcextract {

/// The image with the background of `levels` in its masked pixels, so that they add nothing to a sum above it.
Image<float, Cpu> fill_with_background(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                       const Cpu& where);
Image<float, Gpu> fill_with_background(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                       const Gpu& where);

/// The image with 0 in its masked pixels.
Image<float, Cpu> fill_with_zero(const Image<float, Cpu>& image, const Cpu& where);
Image<float, Gpu> fill_with_zero(const Image<float, Gpu>& image, const Gpu& where);

/// Flags the sums of sources that are near masked pixels in those of another image as well: SourceSums::near_masked.
void add_near_masked(const Buffer<SourceSums, Cpu>& elsewhere, const Components<Cpu>& components,
                     Buffer<SourceSums, Cpu>& sums, const Cpu& where);
void add_near_masked(const Buffer<SourceSums, Gpu>& elsewhere, const Components<Gpu>& components,
                     Buffer<SourceSums, Gpu>& sums, const Gpu& where);

}  // namespace srcextract
