#pragma once

#include <string>
#include <vector>

#include "pipeline/outputs/report/survey_numbers.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {

/// Functions that compute the plots of a survey's page, as JSON whose size is limited for any number of images.

/// {"step", "bins"}: minimum, median and maximum of a quantity in each bin of `step` consecutive images; null if no
/// value is finite.
std::string series_json(const SurveyNumbers& numbers, ImageValue value);

/// A JSON list of the bins of series_json() with failed images, by index.
std::string failed_json(const SurveyNumbers& numbers);

/// {"low", "step", "counts", "beyond"}: a histogram of the number of sources per image. The bins end at 5 times the
/// median or at the 99th percentile, whichever is more, but not above the maximum; `beyond` counts the images above
/// that.
std::string histogram_json(const SurveyNumbers& numbers);

/// The right ascension in whole degrees at which a map begins: the end of the widest range without images, so that the
/// map's edge does not divide the images.
double first_ra(const std::vector<SkyPlace>& places);

/// The right ascension, shifted by 360 degrees if needed so that the result is at least `first`.
double turned_ra(double ra, double first);

/// [ra, dec, count] for each non-empty cell of a grid on the sky: mean position and number of the cell's images. Right
/// ascensions are shifted by turned_ra().
std::string map_json(const std::vector<SkyPlace>& places, double first);

}  // namespace srcextract
