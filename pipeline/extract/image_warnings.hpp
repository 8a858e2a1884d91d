#pragma once

#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Returns warnings about possible problems of an image or its configuration, for the log and the run record. A warning
/// is one sentence that names the key to change, and has no effect on results. If difference.refuse_bad is set, throws
/// Error{input} with the first warning about the rows or noise of a difference image.
std::vector<std::string> image_warnings(const ImageInput& input, const ImageResult& result);

}  // namespace srcextract
