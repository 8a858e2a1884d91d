#pragma once

#include <string>
#include <vector>

#include "pipeline/outputs/report/survey_numbers.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {

/// The values that the script of a survey's page plots, as JSON of bounded size for any number of images.

/// {"step", "bins"}: for every `step` images in a row the least, median and most value; null if none is finite.
std::string series_json(const SurveyNumbers& numbers, ImageValue value);

/// Indices of those bins of series_json that contain failed images, as JSON.
std::string failed_json(const SurveyNumbers& numbers);

/// {"low", "step", "counts", "beyond"}: a histogram of the number of sources per image. Bins end at five times the
/// median, or where 99 % of the images are included; `beyond` counts the images with more sources.
std::string histogram_json(const SurveyNumbers& numbers);

/// The right ascension at which a map should begin, so that it does not cut through the images: the end of the widest
/// empty range, in whole degrees.
double first_ra(const std::vector<SkyPlace>& places);

/// The right ascension, shifted by 360 degrees so that it lies between `first` and `first` + 360.
double turned_ra(double ra, double first);

/// [ra, dec, count] for each cell of a grid on the sky: mean position and number of its images. Right ascensions are
/// turned to begin at `first`.
std::string map_json(const std::vector<SkyPlace>& places, double first);

}  // namespace srcextract
