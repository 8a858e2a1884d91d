#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/fits_image.hpp"
#include "pipeline/backend.hpp"
#include "pipeline/parity.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/run_stages.hpp"

namespace srcextract {

/// Wall time of one step.
struct StepTime {
  std::string step;
  double seconds = 0;
};

/// One image as it came in: what the log and the report say about it.
struct ImageInput {
  std::string path;
  std::uintmax_t bytes;  ///< size of the file
  std::string name;      ///< in messages: the path, and the HDU if several of the file are extracted
  const FitsImage& image;
  PixelSource pixels;
};

/// What became of one image.
struct ImageResult {
  Extraction extraction;      ///< with sky positions, if the image has any
  std::string no_sky_reason;  ///< why it has none; empty if it has
  std::string backend;        ///< that made the catalogue: cpu or cuda
  std::vector<StepTime> times;
  std::vector<StageComparison> comparison;  ///< empty unless back ends were compared
};

/// Takes one image through the pipeline, where `execution` says. Writes nothing. Throws what the stages throw.
ImageResult extract_image(const ImageInput& input, const Config& config, const Execution& execution,
                          Progress& progress);

}  // namespace srcextract
