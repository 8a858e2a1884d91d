#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// The quantities in which images of a survey are compared; column_of() names their columns in IMAGES.
enum class ImageValue : std::uint8_t { sources, level, noise };
inline constexpr std::array image_values = {ImageValue::sources, ImageValue::level, ImageValue::noise};
const char* column_of(ImageValue value);

/// The numbers of all images, in the order of the table IMAGES: about 30 bytes an image.
struct SurveyNumbers {
  std::array<std::vector<double>, image_values.size()> values;  ///< NaN: the image failed
  std::vector<std::uint32_t> unit_of;                           ///< index, in `units`, of the unit of an image's pixels
  std::vector<std::string> units;                               ///< in the order in which images first have them
  std::int64_t failed = 0, sources = 0;

  const std::vector<double>& of(ImageValue value) const { return values[static_cast<std::size_t>(value)]; }
  std::vector<double>& of(ImageValue value) { return values[static_cast<std::size_t>(value)]; }
  std::size_t images() const { return unit_of.size(); }
  bool has_failed(std::size_t image) const { return unit_of[image] == no_unit; }

  static constexpr std::uint32_t no_unit = ~std::uint32_t{0};  ///< of a failed image
};

SurveyNumbers survey_numbers(const SurveyFacts& facts);

/// Least, median and most of the finite values.
struct ValueRange {
  std::size_t count = 0;
  double least = 0, median = 0, most = 0;
};

/// Reorders the values.
ValueRange range_of(std::vector<double>& values);

/// Range of a value over the images of that unit; of `sources`, over all images.
ValueRange range_of(const SurveyNumbers& numbers, ImageValue value, std::uint32_t unit);

/// How far an image lies from the median of its survey, in standard deviations, in the quantity `of` in which it lies
/// farthest.
struct Distance {
  float sigmas = 0;
  ImageValue of = ImageValue::sources;
};

/// Computes the distance of each image. The standard deviation is 1.4826 times the median distance from the median. If
/// that is 0, it is 1.2533 times the mean distance (Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers).
/// Levels and noise are compared among images of one unit. A failed image has distance 0, and a value that is not
/// finite is infinitely far.
std::vector<Distance> distances_of(const SurveyNumbers& numbers);

/// Returns indices of up to `most` images. Failed images come first, in the order of IMAGES. If not all images fit,
/// failed ones are at most a quarter, or more where the others leave room. The other images follow, the farthest first.
std::vector<std::size_t> images_that_stand_out(const SurveyNumbers& numbers, const std::vector<Distance>& distances,
                                               std::size_t most);

}  // namespace srcextract
