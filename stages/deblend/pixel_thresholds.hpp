#pragma once

#include "stages/deblend/deblend.hpp"

namespace srcextract {

/// Returns for each run (stretch of foreground pixels of a row) the lowest threshold of its pixels. The result is empty
/// if all pixels have the same threshold.
Buffer<float, Cpu> lowest_thresholds(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Cpu& where);

/// Returns the value minus the threshold of every pixel of the runs, in raster order. Values are from images.found.
/// `first` must be first_pixels(runs) (pixels_of_runs.hpp).
Buffer<float, Cpu> heights_above(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                                 const Buffer<std::int64_t, Cpu>& first, const Cpu& where);

}  // namespace srcextract
