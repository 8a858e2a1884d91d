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

/// An output file of `srcextract batch` for an image, and the size in bytes that the journal recorded.
struct WrittenFile {
  std::string path;
  std::int64_t bytes = 0;
};

/// The image's output file whose path ends in `ending`, such as ".cat.fits"; unset if the image has none.
std::optional<WrittenFile> output_with_ending(const SurveyImage& image, const std::string& ending,
                                              const std::vector<std::string>& directories);

/// Opens an output of an image, checks that its size is as recorded, and calls f(file). To an Error{input} advice is
/// added.
void with_output(const SurveyImage& image, const WrittenFile& written, const std::function<void(const InputFile&)>& f);

}  // namespace srcextract
