#pragma once

#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "pipeline/sextractor/catalogue.hpp"
#include "sextractor/translation.hpp"

namespace srcextract {

/// Writes what SExtractor's WRITE_XML does: a VOTable with facts of the run (MetaData), of each image (Extension_Data),
/// and all settings (Config). It has no times, so that two runs write the same bytes. The caller commits the file.
/// Throws Error{output}.
[[nodiscard]] OutputFile write_run_xml(const std::string& path, const sextractor::Request& request,
                                       const std::vector<CatalogPiece>& pieces);

}  // namespace srcextract
