#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/tables/table_stream.hpp"

namespace srcextract {

/// Paths of the files for the tables SOURCES and IMAGES of a survey. `path` itself is the file of SOURCES. In formats
/// with one table per file, IMAGES has a second file: survey.images.csv for survey.csv or survey.cat.csv. Formats of
/// regions have no IMAGES. Throws Error{config} if the ending of `path` belongs to no format.
std::vector<std::string> survey_files(const std::string& path);

/// Returns `path` without its ending: "a/survey" for a/survey.csv or a/survey.cat.csv. Throws Error{config} if the
/// ending belongs to no format.
std::string survey_stem(const std::string& path);

/// Makes a writer of both tables; the ending of `path` decides the format.
std::unique_ptr<FileTables> make_survey_tables(const std::string& path);

}  // namespace srcextract
