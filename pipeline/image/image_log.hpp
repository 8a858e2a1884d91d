#pragma once

#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "stages/settings/input.hpp"

namespace srcextract {

/// HDUs of a file that input.hdu matches and that are not extracted, for messages.
struct LeftOut {
  std::vector<std::string> masks = {};      ///< masks by their names
  std::vector<std::string> no_images = {};  ///< each with the reason in brackets (FitsImages::passed_over())
};

/// Logs the properties of an image before it is extracted. Also logs which images of the file are not extracted: masks
/// or what is no image to extract, which input.hdu left out (`left_out`), or images after the first.
void log_input(const ImageInput& input, const InputConfig& config, const LeftOut& left_out);

/// Logs the gain and why it is used, and whether the noise map holds the photons of sources.
void log_gain(const ImageInput& input);

/// Logs the results if `describe`: what was found, unless log_done() says it of one image `of_several`, and the rest at
/// the level debug. Always logs the warnings.
void log_result(const ImageInput& input, const ImageResult& result, bool describe, bool of_several);

/// Logs the completeness, of stars or of injected Gaussians, if `describe`. Always logs the reason if the completeness
/// is unknown.
void log_measured(const ImageInput& input, const Completeness& completeness, bool describe);
void log_measured(const ImageInput& input, const Injection& injection, bool describe);

/// Logs the end of an image with the back end, the time, and the paths in `written`, which may be empty; of one image
/// `of_several` also what was found.
void log_done(const ImageInput& input, const ImageResult& result, const Execution& execution, double seconds,
              const std::string& written, bool of_several);

}  // namespace srcextract
