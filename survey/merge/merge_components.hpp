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

/// Lists the tables of components that images of the survey have; their merged paths are stem + ".srl" + ending and so
/// on.
std::vector<ComponentFile> find_component_files(const std::string& stem, const std::string& ending,
                                                const SurveyImages& images);

/// Joins the listed tables of all images, each after a column IMAGE; the caller commits the files. Images that lack a
/// table are left out, with a warning. Adds path and number of rows of each file to `written`. Throws as merge_surveys
/// does.
std::vector<OutputFile> write_components(const std::vector<ComponentFile>& files, const SurveyImages& images,
                                         const MergeOptions& options,
                                         const std::function<void(const std::string&)>& warn,
                                         std::vector<std::pair<std::string, std::int64_t>>& written);

}  // namespace srcextract
