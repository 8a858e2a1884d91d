#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Names of the files that are tables which `srcextract merge` wrote. Such a file among the inputs of a survey is no
/// image to extract. Its own name tells nothing, so the first headers of each file are read; a file is not looked at if
/// `is_known` is true for its name, and neither is a gzipped one.
std::vector<std::string> merged_tables(const ImageFiles& files, const std::function<bool(std::string_view)>& is_known);

/// The files without those of these names.
ImageFiles without_names(ImageFiles files, const std::vector<std::string>& names);

}  // namespace srcextract
