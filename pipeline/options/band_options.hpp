#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// An image in which the sources of the detection image are measured. `name` is the suffix of the columns of the image,
/// as in FLUX_AUTO_g.
struct BandOption {
  std::string name, path;
  std::vector<std::string> settings = {};  ///< settings of this band alone, as "measurement.gain=2"
};

/// Reads the bands from the values of --band (NAME=FILE), and the bands' settings from the values of --band-set
/// (NAME:KEY=VALUE). Throws Error{config} in these cases:
/// - A value does not have the required form.
/// - The names of the bands are not usable as suffixes of columns (problem_of_bands).
/// - A setting refers to an unknown band.
/// - The key cannot be set for a single band (problem_of_band_setting).
std::vector<BandOption> read_bands(const std::vector<std::string>& bands, const std::vector<std::string>& settings);

}  // namespace srcextract
