#pragma once

#include <vector>

#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// Reads a file in PSFEx's format .psf. For each of its tables PSF_DATA, the result has a set of numbers that PsfModel
/// reads.
TableNumbers psf_numbers(const std::vector<NumberTable>& tables);

/// The sum over image pixels of the model of a star of flux 1 in the middle of the model's field.
double psf_sum(const std::vector<double>& numbers);

/// Divides the model's planes by psf_sum(), so that the sum becomes 1. A model whose sum is not above 0 stays
/// unchanged.
void normalise_psf(std::vector<double>& numbers);

}  // namespace srcextract
