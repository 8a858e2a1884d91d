#include "pipeline/outputs/report/survey_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "regression/statistics/robust.hpp"

namespace srcextract {
namespace {

using Images = std::span<const std::uint32_t>;

/// The standard deviation about the median, by the definition at distances_of(). May reorder the values.
double deviation_of(std::span<double> values, double median) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value - median);
  const double scatter = scatter_of(values, median);
  return scatter > 0 ? scatter : 1.2533 * sum / static_cast<double>(values.size());
}

/// Computes the distances of these images in the quantity `of`. Keeps the greater of an image's old and new distance.
void add_distances(const std::vector<double>& values, Images images, ImageValue of, std::vector<Distance>& distances) {
  std::vector<double> known;
  for (const std::uint32_t i : images)
    if (std::isfinite(values[i])) known.push_back(values[i]);
  const double median = median_of(known);
  const double deviation = known.empty() ? 0 : deviation_of(known, median);
  for (const std::uint32_t i : images) {
    const double far = std::abs(values[i] - median);
    double sigmas = far > 0 && deviation > 0 ? far / deviation : 0;
    if (!std::isfinite(values[i])) sigmas = std::numeric_limits<double>::infinity();
    if (sigmas > distances[i].sigmas) distances[i] = {static_cast<float>(sigmas), of};
  }
}

/// Indices of the images that did not fail, grouped by pixel unit; images of one unit keep their order.
std::vector<std::uint32_t> by_unit(const SurveyNumbers& numbers) {
  std::vector<std::uint32_t> images;
  for (std::uint32_t i = 0; i < numbers.images(); ++i)
    if (!numbers.has_failed(i)) images.push_back(i);
  std::ranges::stable_sort(images, {}, [&](std::uint32_t i) { return numbers.unit_of[i]; });
  return images;
}

}  // namespace

const char* column_of(ImageValue value) {
  constexpr std::array names = {"SOURCES", "BACKGROUND", "SIGMA"};
  return names[static_cast<std::size_t>(value)];
}

SurveyNumbers survey_numbers(const SurveyFacts& facts) {
  SurveyNumbers numbers;
  const std::size_t count = facts.images.size();
  for (std::vector<double>& values : numbers.values) values.assign(count, std::numeric_limits<double>::quiet_NaN());
  numbers.unit_of.assign(count, SurveyNumbers::no_unit);
  std::map<std::string, std::uint32_t> known;
  for (std::size_t i = 0; i < count; ++i) {
    const ImageRecord record = facts.images[i].record;
    if (!record.done) {
      ++numbers.failed;
      continue;
    }
    const auto [unit, is_new] = known.emplace(facts.unit_of(i), numbers.units.size());
    if (is_new) numbers.units.push_back(unit->first);
    numbers.unit_of[i] = unit->second;
    numbers.sources += record.sources;
    numbers.of(ImageValue::sources)[i] = static_cast<double>(record.sources);
    numbers.of(ImageValue::level)[i] = record.background;
    numbers.of(ImageValue::noise)[i] = record.sigma;
  }
  return numbers;
}

ValueRange range_of(std::vector<double>& values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  return {values.size(), least, median_of(values), most};
}

ValueRange range_of(const SurveyNumbers& numbers, ImageValue value, std::uint32_t unit) {
  std::vector<double> values;
  for (std::size_t i = 0; i < numbers.images(); ++i)
    if (value == ImageValue::sources || numbers.unit_of[i] == unit) values.push_back(numbers.of(value)[i]);
  return range_of(values);
}

std::vector<Distance> distances_of(const SurveyNumbers& numbers) {
  std::vector<Distance> distances(numbers.images());
  const std::vector<std::uint32_t> images = by_unit(numbers);
  add_distances(numbers.of(ImageValue::sources), images, ImageValue::sources, distances);
  for (auto begin = images.begin(); begin != images.end();) {
    const std::uint32_t unit = numbers.unit_of[*begin];
    const auto end = std::find_if(begin, images.end(), [&](std::uint32_t i) { return numbers.unit_of[i] != unit; });
    for (const ImageValue value : {ImageValue::level, ImageValue::noise})
      add_distances(numbers.of(value), Images(begin, end), value, distances);
    begin = end;
  }
  return distances;
}

std::vector<std::size_t> images_that_stand_out(const SurveyNumbers& numbers, const std::vector<Distance>& distances,
                                               std::size_t most) {
  const std::size_t images = numbers.images(), failed = static_cast<std::size_t>(numbers.failed);
  const std::size_t failed_shown = std::min(failed, std::max(most / 4, most - std::min(most, images - failed)));
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < images && shown.size() < failed_shown; ++i)
    if (numbers.has_failed(i)) shown.push_back(i);
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < images; ++i)
    if (!numbers.has_failed(i)) others.push_back(i);
  const auto end = others.begin() + static_cast<std::ptrdiff_t>(std::min(others.size(), most - failed_shown));
  std::ranges::partial_sort(others, end, [&](std::uint32_t a, std::uint32_t b) {
    return distances[a].sigmas != distances[b].sigmas ? distances[a].sigmas > distances[b].sigmas : a < b;
  });
  shown.insert(shown.end(), others.begin(), end);
  return shown;
}

}  // namespace srcextract
