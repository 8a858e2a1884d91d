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

/// A table that joins the tables of radio components (sources or Gaussians) of all images.
struct ComponentFile {
  std::string path;
  std::string of_images;  ///< ending of the images' tables that are joined: ".srl.fits" or ".gaul.fits"
};

/// Lists the joined tables that can be made: those for which at least one done image has a table. Their paths are stem
/// + ".srl" + ending and stem + ".gaul" + ending.
std::vector<ComponentFile> find_component_files(const std::string& stem, const std::string& ending,
                                                const SurveyImages& images);

/// Writes the listed joined tables, with a first column IMAGE; the caller commits the returned files. Warns about
/// images that lack a table; the others are joined. Appends path and number of rows of each file to `written`. Throws
/// as merge_surveys() does.
std::vector<OutputFile> write_components(const std::vector<ComponentFile>& files, const SurveyImages& images,
                                         const MergeOptions& options,
                                         const std::function<void(const std::string&)>& warn,
                                         std::vector<std::pair<std::string, std::int64_t>>& written);

}  // namespace srcextract
