#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

enum class CombineMethod { none, weighted, luminosity, mean, inverse_variance, chi_square, median };

/// How planes of a cube, or images of one shape, are combined into the image that is extracted. If `planes`, `hdus` and
/// `files` are all empty, all planes of the cube are combined. At most one of the three may be set.
struct CombineConfig {
  CombineMethod method = CombineMethod::none;
  std::vector<std::int64_t> planes;  ///< planes of the cube to combine, counted from 1
  std::vector<std::string> hdus;     ///< HDUs of the image's file to combine: numbers from 0 (the primary HDU), or
                                     ///< EXTNAMEs
  std::vector<std::string> files;    ///< further image files to combine; the extracted image comes before them
  std::vector<double> weights;       ///< for CombineMethod::weighted: one weight for each plane or image

  bool operator==(const CombineConfig&) const = default;
};

}  // namespace srcextract
