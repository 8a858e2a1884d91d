#pragma once

#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Returns warnings about possible problems of an image or its configuration, for the log and run.json: one sentence
/// each, with the key to change. Warnings never change a result. Throws Error{input} with the first warning about the
/// rows or noise of a difference, if difference.refuse_bad is set.
std::vector<std::string> image_warnings(const ImageInput& input, const ImageResult& result);

}  // namespace srcextract
