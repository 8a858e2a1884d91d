#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// The quantities that are compared between the images of a survey, by their columns in IMAGES.
enum class ImageValue : std::uint8_t { sources, level, noise };
inline constexpr std::array image_values = {ImageValue::sources, ImageValue::level, ImageValue::noise};
const char* column_of(ImageValue value);

/// The numbers of all images, in the order of IMAGES: about 30 bytes an image.
struct SurveyNumbers {
  std::array<std::vector<double>, image_values.size()> values;  ///< NaN: the image failed
  std::vector<std::uint32_t> unit_of;                           ///< of an image's pixels, a place in `units`
  std::vector<std::string> units;                               ///< in the order of the images that are done
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

/// Range over the images of a unit; over all of them for sources.
ValueRange range_of(const SurveyNumbers& numbers, ImageValue value, std::uint32_t unit);

/// How far an image lies from the median of the images, in standard deviations, by the value that lies farthest.
struct Distance {
  float sigmas = 0;
  ImageValue of = ImageValue::sources;
};

/// The standard deviation is 1.4826 times the median distance from the median. If that is 0, it is 1.2533 times the
/// mean distance (Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers). Levels and noise are compared among
/// images of one unit. A failed image has distance 0, and a value that is not finite is infinitely far.
std::vector<Distance> distances_of(const SurveyNumbers& numbers);

/// Up to `most` images, by their places. Failed ones come first, in the order of IMAGES, at most a quarter if others
/// are left out. Then come the others, the farthest first.
std::vector<std::size_t> images_that_stand_out(const SurveyNumbers& numbers, const std::vector<Distance>& distances,
                                               std::size_t most);

}  // namespace srcextract
