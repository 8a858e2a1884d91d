#pragma once

#include <vector>

#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Reads the models of PSFEx's .psf, one for each table PSF_DATA, as the numbers that PsfModel reads.
TableNumbers psf_numbers(const std::vector<NumberTable>& tables);

/// The summed light of a star of flux 1, in pixels of the image, in the middle of the model's field.
double psf_sum(const std::vector<double>& numbers);

/// Scales the model so that psf_sum() is 1, if it is above 0.
void normalise_psf(std::vector<double>& numbers);

}  // namespace srcextract
