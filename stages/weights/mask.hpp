#pragma once

#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Masks the pixels that are masked in `mask`, an image of their shape, and counts those that were not yet in
/// masked.mask.
void apply_mask(const Image<float, Cpu>& mask, Pixels<Cpu>& pixels, const Cpu& where);
void apply_mask(const Image<float, Gpu>& mask, Pixels<Gpu>& pixels, const Gpu& where);

/// A map of variances without the pixels that are masked in `image`, which is of its shape.
Image<float, Cpu> mask_like(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Cpu& where);
Image<float, Gpu> mask_like(const Image<float, Gpu>& image, const Image<float, Gpu>& variance, const Gpu& where);

}  // namespace srcextract
