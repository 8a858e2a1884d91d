#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/files/output_file.hpp"
#include "survey/merge/merge.hpp"
#include "survey/merge/survey_images.hpp"

namespace srcextract {

/// A joined table of radio components.
struct ComponentFile {
  std::string path;
  std::string of_images;  ///< ending of the images' tables that it joins, ".srl.fits"
};

/// The tables that images of the survey have, as stem + ".srl" + ending.
std::vector<ComponentFile> find_component_files(const std::string& stem, const std::string& ending,
                                                const SurveyImages& images);

/// Joins these tables of all images, after a column IMAGE; the caller commits the files. Images without such a table
/// are left out, with a warning. Adds path and number of rows of each to `written`. Throws as merge_surveys does.
std::vector<OutputFile> write_components(const std::vector<ComponentFile>& files, const SurveyImages& images,
                                         const MergeOptions& options,
                                         const std::function<void(const std::string&)>& warn,
                                         std::vector<std::pair<std::string, std::int64_t>>& written);

}  // namespace srcextract
