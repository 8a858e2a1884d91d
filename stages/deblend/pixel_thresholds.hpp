#pragma once

#include "stages/deblend/deblend.hpp"

namespace srcextract {

/// Returns for each run the lowest threshold of its pixels. The result is empty if all pixels have one threshold.
Buffer<float, Cpu> lowest_thresholds(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Cpu& where);

/// Returns for each run the number of pixels in all runs before it; one more element is the end. The place of a pixel
/// in this order does not change when runs are cut.
Buffer<std::int64_t, Cpu> first_pixels(const Runs<Cpu>& runs, const Cpu& where);

/// Returns value minus threshold for every pixel of the runs, in raster order, in the image in which sources were
/// found. `first` must be first_pixels(runs).
Buffer<float, Cpu> heights_above(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                                 const Buffer<std::int64_t, Cpu>& first, const Cpu& where);

}  // namespace srcextract
