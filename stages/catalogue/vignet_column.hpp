#pragma once

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// The description of the column VIGNET, which contains a small cut-out of the image around each source (vignets.hpp).
inline constexpr Column vignet_column = {
    "VIGNET", pixel_value_unit, "phot.flux;obs.image",
    "Pixels around it above BACKGROUND; -1e30 outside of the image, where masked, and of other sources", 0};

}  // namespace srcextract
