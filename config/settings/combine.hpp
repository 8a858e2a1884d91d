#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

enum class CombineMethod { none, weighted, luminosity, mean, inverse_variance, chi_square, median };

/// Several planes, or several images of one shape, into the one that sources are found in and measured on. Where none
/// of `planes`, `hdus` and `files` is given it is all planes of the cube.
struct CombineConfig {
  CombineMethod method = CombineMethod::none;
  std::vector<std::int64_t> planes;  ///< of the cube, 1-based
  std::vector<std::string> hdus;     ///< of the file: numbers from 0, or names
  std::vector<std::string> files;    ///< images that follow the one that is extracted
  std::vector<double> weights;       ///< of `weighted`, one for each

  bool operator==(const CombineConfig&) const = default;
};

}  // namespace srcextract
