#pragma once

#include <string>
#include <vector>

#include "pipeline/outputs/report/survey_numbers.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {

/// The values that the script of a survey's page plots, as JSON of bounded size for any number of images.

/// {"step", "bins"}: for every `step` images in a row the least, median and most value; null if none is finite.
std::string series_json(const SurveyNumbers& numbers, ImageValue value);

/// The bins of series_json with images that failed: their places.
std::string failed_json(const SurveyNumbers& numbers);

/// {"low", "step", "counts", "beyond"}: the number of images by their number of sources. Bins go up to five times the
/// median or to 99 % of the images; those with more are `beyond`.
std::string histogram_json(const SurveyNumbers& numbers);

/// Where right ascensions begin, so that the images are next to one another: the end of the widest empty range in whole
/// degrees.
double first_ra(const std::vector<SkyPlace>& places);

/// A right ascension between `first` and `first` + 360.
double turned_ra(double ra, double first);

/// [ra, dec, count]: the mean place of images in each cell of a grid; right ascensions are turned from `first`.
std::string map_json(const std::vector<SkyPlace>& places, double first);

}  // namespace srcextract
