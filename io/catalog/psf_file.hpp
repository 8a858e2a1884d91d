#pragma once

#include <string>

#include "io/files/output_file.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Writes a PSF as PSFEx does, so that SExtractor reads it: the table PSF_DATA with the column PSF_MASK; the caller
/// commits the file. `table` has the cards and the values of the mask (psf_numbers reads it). `version` is that of this
/// program. Throws Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_psf(const std::string& path, const NumberTable& table, const std::string& version);

}  // namespace srcextract
