#pragma once

#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/extract/find_psf.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {

/// Makes a table of all sources that were considered for the PSF, with the reason why each was used or rejected.
Table star_table(const std::vector<PsfStar>& stars);

/// Writes the files of a PSF that was fitted to an image: the model, the table of stars and the picture (psf_paths).
/// The caller commits the files. Throws Error{output} or Error{storage}.
std::vector<OutputFile> write_psf_files(const PsfPaths& paths, const FoundPsf& found, const std::string& name,
                                        const CatalogMetadata& metadata, const Cpu& where);

}  // namespace srcextract
