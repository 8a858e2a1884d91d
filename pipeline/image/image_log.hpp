#pragma once

#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "stages/settings/input.hpp"

namespace srcextract {

/// Logs the properties of an image before it is extracted. Also logs which images of the file are not extracted: masks
/// that input.hdu left out (`left_out`), or images after the first.
void log_input(const ImageInput& input, const InputConfig& config, const std::vector<std::string>& left_out);

/// Logs the results if `describe`. Always logs the warnings.
void log_result(const ImageInput& input, const ImageResult& result, bool describe);

/// Logs the completeness, of stars or of injected Gaussians, if `describe`. Always logs the reason if the completeness
/// is unknown.
void log_measured(const ImageInput& input, const Completeness& completeness, bool describe);
void log_measured(const ImageInput& input, const Injection& injection, bool describe);

/// Logs the end of an image with the back end, the time, and the paths in `written`, which may be empty.
void log_done(const ImageInput& input, const ImageResult& result, const Execution& execution, double seconds,
              const std::string& written);

}  // namespace srcextract
