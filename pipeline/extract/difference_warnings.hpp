#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Adds warnings about a difference image to `warnings`, in the form of image_warnings(). If difference.refuse_bad is
/// set, throws Error{input} with the first warning about the rows or the noise of the difference.
void warn_of_difference(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
