#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Adds warnings about a difference of two frames, as image_warnings gives them. Throws Error{input} with the first one
/// about its rows or noise, if difference.refuse_bad is set.
void warn_of_difference(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
