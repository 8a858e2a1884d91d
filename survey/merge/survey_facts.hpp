#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "survey/merge/packed_headers.hpp"
#include "survey/merge/survey_images.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {

/// The facts from which `merge --report` writes the survey's page.
struct SurveyFacts {
  std::string output;                               ///< path of the merged catalogue
  std::string page;                                 ///< path of the page
  const SurveyImages& images;                       ///< in the order of IMAGES
  const std::vector<std::string>& directories;      ///< with the outputs of images
  std::function<std::string(std::size_t)> unit_of;  ///< the unit of an image's pixels
  const PackedHeaders& headers;                     ///< of images
  const std::vector<SkyPlace>& places;              ///< mean position of the sources of each image
  std::vector<std::string> warnings;                ///< of this merge, sorted
};

/// A text near the beginning of every page about a survey: an existing file without it is not replaced.
inline constexpr const char* survey_page_mark = "<!-- the survey page of srcextract merge -->";

}  // namespace srcextract
