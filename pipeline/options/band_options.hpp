#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// An image in which sources of another are measured, and what its columns are told apart by.
struct BandOption {
  std::string name, path;
  std::vector<std::string> settings = {};  ///< dotted.key=value, applied to the configuration for it alone
};

/// The bands that values of --band (NAME=FILE) name, with the settings that those of --band-set (NAME:KEY=VALUE) have
/// for them. Throws Error{config} if one is not of that form, if names cannot tell columns apart (problem_of_bands), if
/// there is no such band, or if the key is not one of those that a band has of its own (problem_of_band_setting).
std::vector<BandOption> read_bands(const std::vector<std::string>& bands, const std::vector<std::string>& settings);

}  // namespace srcextract
