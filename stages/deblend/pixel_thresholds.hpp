#pragma once

#include "stages/deblend/deblend.hpp"

namespace srcextract {

/// Of every run the lowest threshold of its pixels; none where there is one threshold.
Buffer<float, Cpu> lowest_thresholds(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Cpu& where);

/// Of every run the place of its first pixel among those of all, and the end: cut in whatever way, runs have the same
/// pixels in the same order.
Buffer<std::int64_t, Cpu> first_pixels(const Runs<Cpu>& runs, const Cpu& where);

/// By how much pixels are above their thresholds in the image in which sources were found, in raster order; `first` as
/// first_pixels(runs).
Buffer<float, Cpu> heights_above(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                                 const Buffer<std::int64_t, Cpu>& first, const Cpu& where);

}  // namespace srcextract
