#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// Reads SExtractor's .nnw format: a neural network that separates stars from galaxies. Returns its numbers in the
/// order of StarNetwork (stages/photometry/star_network.hpp). The file has a line "NNW", comments that begin with #,
/// the layer sizes "3 10 10 1", and the numbers. Throws Error{config}, which begins `path:line:`, if the file cannot be
/// read, has another format, or describes another network.
std::vector<double> read_network_file(const std::string& path);

}  // namespace srcextract
