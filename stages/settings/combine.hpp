#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

enum class CombineMethod { none, weighted, luminosity, mean, inverse_variance, chi_square, median };

/// How planes of a cube, or images of one shape, are combined into the image that is extracted. If `planes`, `hdus` and
/// `files` are empty, all planes of the cube are combined.
struct CombineConfig {
  CombineMethod method = CombineMethod::none;
  std::vector<std::int64_t> planes;  ///< of the cube, 1-based
  std::vector<std::string> hdus;     ///< of the file: numbers from 0, or names
  std::vector<std::string> files;    ///< images that are combined with the extracted one, after it
  std::vector<double> weights;       ///< for `weighted`, one for each plane or image

  bool operator==(const CombineConfig&) const = default;
};

}  // namespace srcextract
