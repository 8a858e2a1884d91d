#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "survey/merge/packed_headers.hpp"
#include "survey/merge/survey_images.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {

/// The facts from which `srcextract merge --report` makes the page about a survey.
struct SurveyFacts {
  std::string output;                               ///< path of the merged catalogue
  std::string page;                                 ///< path of the page
  const SurveyImages& images;                       ///< in the order of the rows of IMAGES
  const std::vector<std::string>& directories;      ///< directories with the outputs of the images
  std::function<std::string(std::size_t)> unit_of;  ///< unit_of(i): unit of the pixels of image i
  const PackedHeaders& headers;                     ///< header keywords of each image
  const std::vector<SkyPlace>& places;              ///< mean sky position of the sources of each image
  std::vector<std::string> warnings;                ///< warnings of this merge, sorted
};

/// A comment near the beginning of every page about a survey. An existing file without this text is not replaced.
inline constexpr const char* survey_page_mark = "<!-- the survey page of srcextract merge -->";

}  // namespace srcextract
