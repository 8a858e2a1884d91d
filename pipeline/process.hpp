#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/fits_image.hpp"
#include "pipeline/backend.hpp"
#include "pipeline/command_line.hpp"
#include "pipeline/outputs.hpp"
#include "pipeline/parity.hpp"
#include "pipeline/progress.hpp"

namespace srcextract {

/// What stays the same from image to image, wherever they are extracted.
struct Job {
  const CommandLine& command;
  const Config& config;
  const KeptFiles& inputs;
};

/// Extracts one image of the file `path` and writes its outputs: all of them once every one is complete, run.json
/// last; none if one fails. `name` stands for it in messages; `in_names` says that its HDU is part of the output names.
/// Returns the comparison of the back ends, empty unless there was one.
std::vector<StageComparison> process_image(const FitsImage& image, const std::string& path, const std::string& name,
                                           bool in_names, const Job& job, const Execution& execution,
                                           Progress& progress);

}  // namespace srcextract
