#pragma once

#include <string>

#include "io/files/output_file.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/core/exec.hpp"
#include "stages/settings/quicklook.hpp"

namespace srcextract {

/// Writes the picture of an extraction, with the sources drawn over it, as PNG; the caller commits the file. In the
/// picture of a difference, detected pixels are red. Throws Error{output}.
[[nodiscard]] OutputFile write_picture(const std::string& path, const Extraction& extraction,
                                       const QuicklookConfig& config, const Cpu& where);

}  // namespace srcextract
