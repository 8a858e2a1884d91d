#pragma once

#include <string>
#include <vector>

#include "config/settings/input.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "pipeline/machine/backend.hpp"

namespace srcextract {

/// Tells the log what an image is, before it is worked on, and what of its file is not extracted: `left_out` of
/// input.hdu: all and patterns, or what comes after the first image.
void log_input(const ImageInput& input, const InputConfig& config, const std::vector<std::string>& left_out);

/// Tells the log what was found in it; unless it is to `describe` that, only what may be wrong with the image.
void log_result(const ImageInput& input, const ImageResult& result, bool describe);

/// Tells the log that the image is done, where and how fast.
void log_done(const ImageInput& input, const ImageResult& result, const Execution& execution, double seconds);

}  // namespace srcextract
