#pragma once

#include <string>

#include "config/settings/output.hpp"
#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Writes one of the check images of an extraction; the caller commits the file. Those of the image's shape have the
/// celestial WCS of `header`. Of a difference they show what became brighter. Throws Error{output}.
[[nodiscard]] OutputFile write_check_image(const std::string& path, CheckImage which, ImageCompression compression,
                                           const Extraction& extraction, const Shape& shape, const std::string& header,
                                           const CatalogMetadata& metadata, const Cpu& where);

}  // namespace srcextract
