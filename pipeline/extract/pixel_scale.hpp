#pragma once

#include "config/config.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// The file's configuration with measurement.pixel_scale from the image's WCS, if it is 0 and needed; the log reports
/// it. Surface brightness thresholds and the columns MU_MAX, MU_THRESHOLD and CLASS_STAR need it. Without a WCS, throws
/// Error{input} for a threshold, and warns for a column.
Config with_pixel_scale(const ImageInput& input);

/// As with_pixel_scale(), for thresholds alone.
Config with_scale_of_thresholds(const ImageInput& input);

}  // namespace srcextract
