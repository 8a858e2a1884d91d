#pragma once

#include <cstddef>
#include <vector>

#include "stages/settings/number_lines.hpp"

namespace srcextract {

/// The configuration key that names the file of the network.
inline constexpr const char* network_key = "measurement.nnw";

/// Layer sizes of SExtractor's neural network for the separation of stars and galaxies, and the number of numbers in
/// its file. The numbers are, in order: biases and scales of the inputs; weights and bias of each hidden node; weights
/// and bias of the output node; bias and scale of the output.
inline constexpr std::size_t network_inputs = 10, network_hidden = 10;
inline constexpr std::size_t network_size =
    2 * network_inputs + network_hidden * (network_inputs + 1) + (network_hidden + 1) + 2;

/// Reads the network from the lines of a file in SExtractor's .nnw format: a line "NNW"; the number of layers and their
/// sizes, "3 10 10 1"; and network_size numbers.
FileNumbers network_numbers(const std::vector<NumberLine>& lines);

}  // namespace srcextract
