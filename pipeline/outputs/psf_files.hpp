#pragma once

#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/extract/find_psf.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {

/// All sources that were looked at for a PSF, with what became of them.
Table star_table(const std::vector<PsfStar>& stars);

/// Writes a PSF that was made from an image: the model, its stars and the picture (psf_paths); the caller commits the
/// files. Throws Error{output} or Error{storage}.
std::vector<OutputFile> write_psf_files(const PsfPaths& paths, const FoundPsf& found, const std::string& name,
                                        const CatalogMetadata& metadata, const Cpu& where);

}  // namespace srcextract
