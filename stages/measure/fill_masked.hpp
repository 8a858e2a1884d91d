#pragma once

#include "stages/measure/measure.hpp"

namespace srcextract {

/// Returns the image with its masked pixels set to the background of `levels`. Filled pixels then add 0 to sums of
/// pixels minus the background.
Image<float, Cpu> fill_with_background(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                       const Cpu& where);
Image<float, Gpu> fill_with_background(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                       const Gpu& where);

/// Returns the image with its masked pixels set to 0.
Image<float, Cpu> fill_with_zero(const Image<float, Cpu>& image, const Cpu& where);
Image<float, Gpu> fill_with_zero(const Image<float, Gpu>& image, const Gpu& where);

/// Sets SourceSums::near_masked in `sums` for every source that has it set in `elsewhere`, the sums over the same
/// sources in another image.
void add_near_masked(const Buffer<SourceSums, Cpu>& elsewhere, const Components<Cpu>& components,
                     Buffer<SourceSums, Cpu>& sums, const Cpu& where);
void add_near_masked(const Buffer<SourceSums, Gpu>& elsewhere, const Components<Gpu>& components,
                     Buffer<SourceSums, Gpu>& sums, const Gpu& where);

}  // namespace srcextract
