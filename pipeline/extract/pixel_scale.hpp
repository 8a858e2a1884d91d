#pragma once

#include "config/config.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// The configuration of an image's file with what only its header tells: where thresholds are surface brightnesses, or
/// MU_MAX, MU_THRESHOLD or CLASS_STAR is asked for, and measurement.pixel_scale is 0, that of its WCS, which the log
/// tells. If there is none, throws Error{input} for a threshold, and warns for a column.
Config with_pixel_scale(const ImageInput& input);

/// The same for thresholds alone.
Config with_scale_of_thresholds(const ImageInput& input);

}  // namespace srcextract
