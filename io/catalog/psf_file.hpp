#pragma once

#include <string>

#include "io/files/output_file.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Writes a PSF in PSFEx's format, which SExtractor reads: a table PSF_DATA with a column PSF_MASK. The caller commits
/// the file. `table` has the header cards and the values of PSF_MASK, as psf_numbers() reads them. `version` is the
/// version of srcextract. Throws Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_psf(const std::string& path, const NumberTable& table, const std::string& version);

}  // namespace srcextract
