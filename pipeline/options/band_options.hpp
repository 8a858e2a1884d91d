#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// An image in which the sources of another are measured, and the name that marks its columns.
struct BandOption {
  std::string name, path;
  std::vector<std::string> settings = {};  ///< dotted.key=value, for this band's configuration alone
};

/// The bands of --band (NAME=FILE) with their settings of --band-set (NAME:KEY=VALUE). Throws Error{config} if:
/// - a value has not that form
/// - names cannot tell columns apart (problem_of_bands)
/// - a setting names no band
/// - the key cannot be set for a band alone (problem_of_band_setting)
std::vector<BandOption> read_bands(const std::vector<std::string>& bands, const std::vector<std::string>& settings);

}  // namespace srcextract
