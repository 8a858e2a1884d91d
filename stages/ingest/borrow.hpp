#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Uses the plane's own memory as the image of `pixels`, if it already holds what ingest() would make: unscaled floats
/// in the host's byte order, all finite or masked_pixel. If it does not, returns false and leaves `pixels` unchanged.
/// Nothing is copied. The image must not be written to, and is valid as long as the plane.
bool borrow(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);

}  // namespace srcextract
