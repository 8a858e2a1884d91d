#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/files/input_file.hpp"
#include "survey/merge/merge_journals.hpp"

namespace srcextract {

/// A file that batch wrote for an image, and its size at that time.
struct WrittenFile {
  std::string path;
  std::int64_t bytes = 0;
};

/// The image's output file with this ending, such as ".cat.fits"; nothing if it has none.
std::optional<WrittenFile> output_with_ending(const SurveyImage& image, const std::string& ending,
                                              const std::vector<std::string>& directories);

/// Opens an output of an image, checks its size, and calls f(file). Errors of the input say what to do.
void with_output(const SurveyImage& image, const WrittenFile& written, const std::function<void(const InputFile&)>& f);

}  // namespace srcextract
