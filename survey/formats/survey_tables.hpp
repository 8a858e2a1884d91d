#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/tables/table_stream.hpp"

namespace srcextract {

/// Paths of the files for the tables SOURCES and IMAGES of a survey. SOURCES is in `path`. For formats with one table
/// per file, IMAGES is beside it: survey.images.csv for survey.csv and survey.cat.csv. Regions have no IMAGES. Throws
/// Error{config} if the ending of `path` is no format.
std::vector<std::string> survey_files(const std::string& path);

/// Returns `path` without its ending: "a/survey" for a/survey.csv and a/survey.cat.csv. Throws as survey_files does.
std::string survey_stem(const std::string& path);

/// A writer of the tables in the format of the ending of `path`.
std::unique_ptr<FileTables> make_survey_tables(const std::string& path);

}  // namespace srcextract
