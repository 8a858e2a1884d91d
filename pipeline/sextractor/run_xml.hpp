#pragma once

#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "pipeline/sextractor/catalogue.hpp"
#include "sextractor/translation.hpp"

namespace srcextract {

/// Writes the VOTable of SExtractor's WRITE_XML: facts about the run (MetaData), about each image (Extension_Data), and
/// all settings (Config). The VOTable contains no times, so that equal runs write equal bytes. The caller commits the
/// file. Throws Error{output}.
[[nodiscard]] OutputFile write_run_xml(const std::string& path, const sextractor::Request& request,
                                       const std::vector<CatalogPiece>& pieces);

}  // namespace srcextract
