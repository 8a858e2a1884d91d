#pragma once

#include "config/config.hpp"
#include "pipeline/image/extract_image.hpp"
#include "pipeline/machine/backend.hpp"

namespace srcextract {

/// Tells the log what an image is, before it is worked on.
void log_input(const ImageInput& input, const InputConfig& config);

/// Tells the log what was found in it; unless it is to `describe` that, only what may be wrong with the image.
void log_result(const ImageInput& input, const ImageResult& result, bool describe);

/// Tells the log that the image is done, where and how fast.
void log_done(const ImageInput& input, const ImageResult& result, const Execution& execution, double seconds);

}  // namespace srcextract
