#pragma once

#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// The models of PSFEx's .psf, one for each table PSF_DATA, as the numbers of PsfModel.
TableNumbers psf_numbers(const std::vector<NumberTable>& tables);

}  // namespace srcextract
