#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// The plane's own memory as the image of `pixels`, where it is what ingest() would make of it: floats of this machine,
/// unscaled, none of them infinite or another NaN than masked_pixel. Nothing is copied, and nobody may write to the
/// image; it lasts as long as the plane. Returns whether it is so; if not, `pixels` are left alone.
bool borrow(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);

}  // namespace srcextract
