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
  std::vector<std::pair<std::string, std::int64_t>> components = {};  ///< paths of the joined tables of radio
                                                                      ///< components, and their numbers of rows
};

struct MergeOptions {
  std::vector<std::string> directories;  ///< directories into which `srcextract batch` wrote
  std::string output;                    ///< path of the survey catalogue; its ending decides the format
  bool partial = false;                  ///< whether to merge even if a shard (a part of the survey) is missing or
                                         ///< unfinished
  std::string version;                   ///< version of srcextract
  double max_failed = 0;                 ///< maximum percentage of done images that may have failed in a later run

  /// Makes the HTML page that is written to survey_page_path(output); null: no page is written.
  std::function<std::string(const SurveyFacts&)> make_page = {};
};

/// Throws Error{config} if the ending of the survey catalogue's name belongs to no format.
void require_format(const std::string& output);

/// The path of the page about a survey: survey.report.html beside survey.fits, survey.cat.fits, survey.csv or
/// survey.hats. Throws Error{config} as require_format() does.
std::string survey_page_path(const std::string& output);

/// Joins the catalogues of a survey into one FITS file, into the files of survey_files() in another format, or into a
/// directory .hats (survey/sky/hats_tables.hpp). In a FITS file, HDU 1, SOURCES, has all rows of all catalogues; their
/// first column IMAGE names the image. HDU 2, IMAGES, has a row for every image in the journals, also for failed
/// images.
///
/// The tables of radio components are joined too, in the same format: survey.srl.fits and survey.gaul.fits beside
/// survey.fits or survey.cat.fits, and Parquet files beside survey.hats. Ids in these tables are unique within an image
/// only. The page is committed together with all files.
///
/// Rows are sorted by the image's name, then HDU. The result does not depend on directories, shards, machines or times,
/// except for paths in REASON of failed images. Rows are streamed: memory grows with the number of images, not with
/// that of sources.
///
/// Throws Error{config} if:
/// - the directories belong to different surveys, or an image has no FITS catalogue, or columns of catalogues do not
///   fit together (SurveyLayout)
/// - an output would replace a file of the survey, or an existing file that merge did not write
///
/// Throws Error{input} if:
/// - a shard is missing or has not finished, unless options.partial is set
/// - more done images failed later than options.max_failed allows
/// - a done image's catalogue is missing or differs from the journal
Merged merge_surveys(const MergeOptions& options, const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
