#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/tables/table_stream.hpp"

namespace srcextract {

/// The files that the tables of a survey go into, SOURCES and then IMAGES: the one at `path`, and, for formats of which
/// a file is one table, of IMAGES one beside it: survey.images.csv of survey.csv and of survey.cat.csv. Regions have no
/// IMAGES. Throws Error{config} if the ending of `path` tells no format.
std::vector<std::string> survey_files(const std::string& path);

/// What writes them, in the format that the ending of `path` asks for.
std::unique_ptr<StoredTables> make_survey_tables(const std::string& path);

}  // namespace srcextract
