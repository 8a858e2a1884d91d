#pragma once

#include <string>

#include "io/files/output_file.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Writes a PSF in PSFEx's format, which SExtractor reads: the table PSF_DATA with the column PSF_MASK; the caller
/// commits the file. `table` has the header cards and the values of PSF_MASK (psf_numbers reads it). `version` is this
/// program's. Throws Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_psf(const std::string& path, const NumberTable& table, const std::string& version);

}  // namespace srcextract
