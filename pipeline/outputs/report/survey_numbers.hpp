#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// The quantities in which images of a survey are compared. column_of() gives the column of a quantity in the table
/// IMAGES.
enum class ImageValue : std::uint8_t { sources, level, noise };
inline constexpr std::array image_values = {ImageValue::sources, ImageValue::level, ImageValue::noise};
const char* column_of(ImageValue value);

/// The numbers of all images, in the order of the table IMAGES. Takes about 30 bytes of memory per image.
struct SurveyNumbers {
  std::array<std::vector<double>, image_values.size()> values;  ///< by quantity, then by image; NaN if the image failed
  std::vector<std::uint32_t> unit_of;  ///< by image: index in `units` of the pixel unit, or no_unit
  std::vector<std::string> units;      ///< in the order of their first appearance
  std::int64_t failed = 0, sources = 0;

  const std::vector<double>& of(ImageValue value) const { return values[static_cast<std::size_t>(value)]; }
  std::vector<double>& of(ImageValue value) { return values[static_cast<std::size_t>(value)]; }
  std::size_t images() const { return unit_of.size(); }
  bool has_failed(std::size_t image) const { return unit_of[image] == no_unit; }

  static constexpr std::uint32_t no_unit = ~std::uint32_t{0};  ///< unit of a failed image
};

SurveyNumbers survey_numbers(const SurveyFacts& facts);

/// Number, minimum, median and maximum of the finite values.
struct ValueRange {
  std::size_t count = 0;
  double least = 0, median = 0, most = 0;
};

/// The range of the values; removes values that are not finite, and reorders the others.
ValueRange range_of(std::vector<double>& values);

/// The range of a quantity over the images with the pixel unit `unit`. For ImageValue::sources, over all images.
ValueRange range_of(const SurveyNumbers& numbers, ImageValue value, std::uint32_t unit);

/// Distance of an image from the median of the survey, in standard deviations. `of` is the quantity in which the
/// distance is greatest.
struct Distance {
  float sigmas = 0;
  ImageValue of = ImageValue::sources;
};

/// Computes the distance of each image. The standard deviation is 1.4826 times the median absolute deviation. If that
/// is 0, 1.2533 times the mean absolute deviation (Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers). Sky
/// level and noise are compared among images of the same unit. A failed image has distance 0; a value that is not
/// finite has an infinite distance.
std::vector<Distance> distances_of(const SurveyNumbers& numbers);

/// Indices of up to `most` images. Failed images come first, in the order of the table IMAGES. If not all images fit,
/// failed images are at most a quarter of `most`, unless the other images are too few to fill the rest. The other
/// images follow, in descending order of the distance.
std::vector<std::size_t> images_that_stand_out(const SurveyNumbers& numbers, const std::vector<Distance>& distances,
                                               std::size_t most);

}  // namespace srcextract
