#pragma once

#include <string>

#include "config/config.hpp"
#include "pipeline/exposure/open_frame.hpp"

namespace srcextract {

/// Names maps of noise and of bad pixels that the configuration does not use, with the settings that would use them:
/// later HDUs of the image's file, and files beside it. Their names tell what they are, as in HST's ERR and DQ or in
/// SWarp's image.weight.fits. An HDU has the axes of the image. `path`: the image's file. Empty if there are none.
std::string unused_maps(const OpenFrame& frame, const std::string& path, const Config& config);

}  // namespace srcextract
