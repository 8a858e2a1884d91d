#include "pipeline/sextractor/association.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "config/values.hpp"
#include "io/wcs/wcs.hpp"
#include "stages/core/error.hpp"
#include "stages/core/line_words.hpp"
#include "stages/core/named_pipe.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

using config::fail;
using sextractor::Request;
using sextractor::Setting;

/// A magnitude of this size or more means an unknown magnitude, as in SExtractor.
constexpr double unknown_magnitude = 99;

double flux_of(double magnitude) {
  return std::abs(magnitude) < unknown_magnitude ? portable_exp(-0.4 * ln_10 * magnitude) : 0.0;
}

/// The column of the list, from 0, that value number `index` of ASSOC_PARAMS names; empty if there are fewer values.
std::optional<std::size_t> column_at(const Request& request, std::size_t index) {
  const Setting& setting = request["ASSOC_PARAMS"];
  if (index >= setting.values.size()) return std::nullopt;
  return static_cast<std::size_t>(std::max(1.0, setting.number(index))) - 1;
}

/// Combines the numbers of all list entries near one source into one set of numbers, as ASSOC_TYPE `type` asks.
class Combination {
 public:
  Combination(const std::string& type, std::vector<double>& data) : type_(type), data_(data) {}

  void add(double distance, double magnitude, const std::vector<double>& values) {
    ++count_;
    if (type_ == "NEAREST") return take_if(-distance, values);
    if (type_ == "MIN") return take_if(-magnitude, values);
    if (type_ == "MAX") return take_if(magnitude, values);
    if (type_ == "FIRST") return take_if(0, values);
    const bool is_sum = type_ == "SUM" || type_ == "MAG_SUM";
    const double weight = is_sum ? 1 : type_ == "MEAN" ? magnitude : flux_of(magnitude);
    weight_ += weight;
    for (std::size_t i = 0; i < data_.size(); ++i)
      data_[i] += type_ == "MAG_SUM" ? flux_of(values[i]) : weight * values[i];
  }

  std::int32_t finish() {
    if (count_ > 0 && type_ == "FIRST") return 1;
    if (count_ > 0 && (type_ == "MEAN" || type_ == "MAG_MEAN")) {
      if (weight_ < 1e-30) return 0;
      for (double& value : data_) value /= weight_;
    }
    if (count_ > 0 && type_ == "MAG_SUM")
      for (double& value : data_) value = value > 0 ? -2.5 / ln_10 * portable_log(value) : unknown_magnitude;
    return count_;
  }

 private:
  void take_if(double merit, const std::vector<double>& values) {
    if (merit <= best_) return;
    best_ = merit;
    data_ = values;
  }

  const std::string& type_;
  std::vector<double>& data_;
  std::int32_t count_ = 0;
  double best_ = -std::numeric_limits<double>::infinity(), weight_ = 0;
};

template <class T>
void keep(const std::vector<bool>& kept, std::size_t width, std::vector<T>& values) {
  std::size_t end = 0;
  for (std::size_t row = 0; row < kept.size(); ++row)
    for (std::size_t i = 0; kept[row] && i < width; ++i) values[end++] = values[row * width + i];
  values.resize(end);
}

}  // namespace

bool is_of_association(std::string_view column) {
  return column == "VECTOR_ASSOC" || column == "NUMBER_ASSOC";
}

AssociationList::AssociationList(const Request& request)
    : request_(&request),
      path_(sextractor::find_file(request["ASSOC_NAME"].word(), request.path)),
      type_(request["ASSOC_TYPE"].word()),
      size_(static_cast<std::size_t>(sextractor::most_values(request.parameters, {"VECTOR_ASSOC"}))) {
  const Setting& name = request["ASSOC_NAME"];
  if (path_.empty())
    fail(request.place_of(name), "ASSOC_NAME " + name.word() +
                                     ", by whose places VECTOR_ASSOC and NUMBER_ASSOC are told: there is no such "
                                     "file; name it, or take these columns out");
  const bool by_magnitude = type_ == "MEAN" || type_ == "MAG_MEAN" || type_ == "MIN" || type_ == "MAX";
  if (by_magnitude && !column_at(request, 2)) type_ = "FIRST";  // as SExtractor does if the list has no magnitudes
  read();
}

void AssociationList::read() {
  if (is_named_pipe(path_)) fail(path_, "the list of ASSOC_NAME is a named pipe; name a file");
  std::ifstream file(path_, std::ios::binary);
  if (!file) fail(path_, "cannot open the list of ASSOC_NAME");
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const std::size_t words = words_of(line).size();
    if (words == 0 || line[0] == '#' || line[0] == '\t') continue;
    if (columns_ == 0) choose_columns(words);
    if (columns_ > 0) places_.push_back(parse(line, number));
  }
}

void AssociationList::choose_columns(std::size_t columns) {
  columns_ = columns;
  const Request& request = *request_;
  const Setting& asked = request["ASSOC_PARAMS"];
  for (std::size_t i = 0; i < asked.values.size(); ++i)
    if (*column_at(request, i) >= columns)
      fail(request.place_of(asked),
           asked.text() + ": " + path_ + " has " + std::to_string(columns) + " columns; name columns that it has");
  for (const double number : request["ASSOC_DATA"].numbers())
    if (copied_.size() < size_ && number >= 1 && number <= static_cast<double>(columns))
      copied_.push_back(static_cast<std::size_t>(number) - 1);
  if (copied_.empty())
    for (std::size_t i = 0; i < std::min(size_, columns); ++i) copied_.push_back(i);
}

AssociationList::Place AssociationList::parse(std::string_view line, std::size_t line_number) const {
  const std::vector<std::string_view> words = words_of(line);
  const auto value = [&](std::size_t column) {
    return column < words.size() ? finite_number(words[column]) : std::optional<double>();
  };
  const auto needed = [&](std::size_t index) {
    const std::size_t column = *column_at(*request_, index);
    if (const std::optional<double> number = value(column)) return *number;
    fail(path_ + ":" + std::to_string(line_number),
         "column " + std::to_string(column + 1) + ", which ASSOC_PARAMS names, is no number");
  };
  Place place{needed(0), needed(1), column_at(*request_, 2) ? needed(2) : 0, {}};
  for (const std::size_t column : copied_) place.data.push_back(value(column).value_or(0));
  return place;
}

Associations AssociationList::of(const std::vector<double>& x, const std::vector<double>& y,
                                 const std::string& header) const {
  std::vector<Place> places = places_;
  if ((*request_)["ASSOCCOORD_TYPE"].word() == "WORLD") {
    std::vector<double> alpha, delta, at_x, at_y;
    for (const Place& place : places) {
      alpha.push_back(place.x);
      delta.push_back(place.y);
    }
    if (const std::string reason = find_on_image(header, alpha, delta, at_x, at_y); !reason.empty())
      throw Error(ErrorKind::input, "ASSOCCOORD_TYPE WORLD: " + reason + "; give the list in pixels, or a WCS");
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i].x = at_x[i];
      places[i].y = at_y[i];
    }
    std::erase_if(places, [](const Place& place) { return !std::isfinite(place.x) || !std::isfinite(place.y); });
  }
  std::ranges::stable_sort(places, {}, &Place::y);
  Associations all{{}, std::vector<std::vector<double>>(size_)};
  std::vector<double> data(copied_.size());  // VECTOR_ASSOC beyond these columns is 0, as in SExtractor
  for (std::size_t row = 0; row < x.size(); ++row) {
    std::ranges::fill(data, 0);
    all.number.push_back(associate(places, x[row], y[row], data));
    for (std::size_t i = 0; i < size_; ++i) all.vector[i].push_back(i < data.size() ? data[i] : 0);
  }
  return all;
}

std::int32_t AssociationList::associate(const std::vector<Place>& places, double x, double y,
                                        std::vector<double>& data) const {
  const double radius = (*request_)["ASSOC_RADIUS"].number();
  Combination combination(type_, data);
  for (auto place = std::ranges::lower_bound(places, y - radius, {}, &Place::y);
       place != places.end() && place->y < y + radius; ++place) {
    const double dx = place->x - x, dy = place->y - y, distance = dx * dx + dy * dy;
    if (distance < radius * radius) combination.add(distance, place->magnitude, place->data);
  }
  return combination.finish();
}

std::vector<bool> AssociationList::kept(const Associations& associations) const {
  const std::string type = (*request_)["ASSOCSELEC_TYPE"].word();
  std::vector<bool> kept;
  if (type == "ALL") return kept;
  for (const std::int32_t number : associations.number) kept.push_back((number > 0) == (type == "MATCHED"));
  return kept;
}

void keep_rows(const std::vector<bool>& kept, Extraction& extraction, Vignets& vignets, Associations& associations) {
  std::vector<std::int32_t> renumbered;
  std::int32_t count = 0;
  for (const bool one : kept) renumbered.push_back(one ? ++count : 0);
  for (std::int32_t& label : extraction.label)
    if (label > 0) label = renumbered[static_cast<std::size_t>(label) - 1];
  for (CatalogColumn& column : extraction.sources.columns)
    std::visit([&](auto& values) { keep(kept, 1, values); }, column.values);
  if (extraction.sources.has(columns::number)) {
    auto& numbers = extraction.sources[columns::number];
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i) + 1;
  }
  if (vignets.size.any())
    keep(kept, static_cast<std::size_t>(vignets.size.width) * static_cast<std::size_t>(vignets.size.height),
         vignets.pixels);
  keep(kept, 1, associations.number);
  for (std::vector<double>& values : associations.vector) keep(kept, 1, values);
}

}  // namespace srcextract
