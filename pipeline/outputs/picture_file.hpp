#pragma once

#include <string>

#include "io/files/output_file.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/core/exec.hpp"
#include "stages/settings/quicklook.hpp"

namespace srcextract {

/// Writes the picture of an extraction as PNG, with the sources drawn over the picture as `config.overlay` says; the
/// caller commits the file. With Overlay::pixels, the pixels of sources are red for a difference, else blue. Throws
/// Error{output}.
[[nodiscard]] OutputFile write_picture(const std::string& path, const Extraction& extraction,
                                       const QuicklookConfig& config, const Cpu& where);

}  // namespace srcextract
