#pragma once

#include "stages/deblend/deblend.hpp"

namespace srcextract {

/// Per run: the lowest threshold of its pixels. Empty if all pixels have one threshold.
Buffer<float, Cpu> lowest_thresholds(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Cpu& where);

/// Per run: the index of its first pixel among those of all runs; one more element is the end. Cutting runs keeps the
/// order of pixels.
Buffer<std::int64_t, Cpu> first_pixels(const Runs<Cpu>& runs, const Cpu& where);

/// Height of every pixel above its threshold in the image in which sources were found, in raster order. `first` is
/// first_pixels(runs).
Buffer<float, Cpu> heights_above(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                                 const Buffer<std::int64_t, Cpu>& first, const Cpu& where);

}  // namespace srcextract
