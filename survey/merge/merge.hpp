#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

struct Merged {
  std::int64_t images = 0, failures = 0, sources = 0;
  std::vector<std::pair<std::string, std::int64_t>> components = {};  ///< tables of radio components, and their rows
};

struct MergeOptions {
  std::vector<std::string> directories;  ///< output directories of batch
  std::string output;                    ///< the survey catalogue; its ending is the format
  bool partial = false;                  ///< merge even if a shard is missing or unfinished
  std::string version;                   ///< of srcextract
  double max_failed = 0;                 ///< greatest percentage of done images that may have failed in a later run

  /// Makes the HTML page that is written beside the survey catalogue, at survey_page_path; none: no page.
  std::function<std::string(const SurveyFacts&)> make_page = {};
};

/// Throws Error{config} if the ending of the survey catalogue's name is no format.
void require_format(const std::string& output);

/// The page about a survey: survey.report.html beside survey.fits, survey.cat.fits, survey.csv, survey.hats and so on.
/// Throws as require_format does.
std::string survey_page_path(const std::string& output);

/// Joins the catalogues of a survey into one FITS file, the files of survey_files (survey/formats/survey_tables.hpp),
/// or a directory .hats (survey/sky/hats_tables.hpp). In a FITS file, HDU 1, SOURCES, has every row of every catalogue
/// after a column IMAGE that names the image. HDU 2, IMAGES, has a row for every image of the journals, failed ones
/// included.
/// The tables of radio components are joined as well, in the same format: survey.srl.fits and survey.gaul.fits beside
/// survey.fits or survey.cat.fits, of Parquet beside survey.hats. Ids are those within an image.
/// The page is committed together with these files. Rows are ordered by name, then HDU. The bytes do not depend on
/// directories, shards, machines or times, except for paths of failed images in REASON, which are as given. Rows are
/// streamed: memory grows with the number of images, not of sources. Throws Error{config} if the directories belong to
/// different surveys (two configurations, no FITS catalogues). Throws Error{input} if:
/// - a shard has not finished
/// - more done images have failed since than options.max_failed allows
/// - a done image's catalogue is missing or differs from the journal
/// Throws Error{config} if an output would replace a file of the survey, or a file of that name that merge did not
/// write.
Merged merge_surveys(const MergeOptions& options, const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
