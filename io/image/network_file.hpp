#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The numbers of SExtractor's .nnw format, a neural network that tells stars from galaxies, in the order in which
/// StarNetwork (stages/photometry/star_network.hpp) takes them: after a line "NNW", comments that begin with #, and
/// the numbers "3 10 10 1" of its layers and what is in them. Throws Error{config}, which begins `path:line:`, if the
/// file cannot be read, is none, or describes another network.
std::vector<double> read_network_file(const std::string& path);

}  // namespace srcextract
