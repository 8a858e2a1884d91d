#pragma once

#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "pipeline/extract/find_psf.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {

/// Writes a PSF that was made from an image: the model, its stars and the picture (psf_paths); the caller commits the
/// files. Throws Error{output} or Error{storage}.
std::vector<OutputFile> write_psf_files(const PsfPaths& paths, const FoundPsf& found, const std::string& name,
                                        const CatalogMetadata& metadata, const Cpu& where);

}  // namespace srcextract
