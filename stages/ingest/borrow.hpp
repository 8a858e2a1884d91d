#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Makes `pixels.image` a view of the plane's memory, without a copy. The plane must already hold what ingest() would
/// write: unscaled floats in the host's byte order, each finite or equal to masked_pixel. If the plane holds anything
/// else, borrow() returns false and leaves `pixels` unchanged. The image must not be written to, and is valid as long
/// as the plane's memory.
bool borrow(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);

}  // namespace srcextract
