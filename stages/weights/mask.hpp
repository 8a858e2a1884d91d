#pragma once

#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Masks the pixels of pixels.image that are masked in `mask`, an image of the same shape. masked.mask counts the
/// pixels that were not masked before.
void apply_mask(const Image<float, Cpu>& mask, Pixels<Cpu>& pixels, const Cpu& where);
void apply_mask(const Image<float, Gpu>& mask, Pixels<Gpu>& pixels, const Gpu& where);

/// Returns a copy of a variance map that is also masked where `image`, of the same shape, is masked.
Image<float, Cpu> mask_like(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Cpu& where);
Image<float, Gpu> mask_like(const Image<float, Gpu>& image, const Image<float, Gpu>& variance, const Gpu& where);

}  // namespace srcextract
