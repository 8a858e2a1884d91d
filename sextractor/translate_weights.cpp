#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/values.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/translation.hpp"
#include "stages/core/ascii.hpp"

namespace srcextract::sextractor {

using config::format_value;

namespace {

// index in a setting with a value for the detection image and a value for the measured image
constexpr std::size_t of_detection = 0, of_measurement = 1;

std::string our_type(const std::string& word) {
  static const std::map<std::string, std::string> types = {
      {"BACKGROUND", "background"}, {"MAP_RMS", "rms"}, {"MAP_VAR", "variance"}, {"MAP_WEIGHT", "weight"}};
  const auto found = types.find(word);
  return found == types.end() ? "none" : found->second;
}

bool is_map(const std::string& type) {
  return type != "none" && type != "background";
}

std::string our_interpolation(const std::string& word) {
  return word == "ALL" ? "all" : word == "VAR_ONLY" ? "variance" : "none";
}

NamedImage file_of(const Setting& setting, std::size_t index) {
  return named_image(setting.word(index), (setting.is_set() ? setting.place + ": " : "") + setting.text());
}

/// The HDU number of a map FILE[2]. Without brackets `auto`, which pairs HDUs of the map with HDUs of the image.
std::string hdu_of(const NamedImage& map) {
  return map.extension.empty() ? "auto" : map.extension;
}

/// Whether the detection image and the measured image have the same value of a setting.
bool is_one(const Setting& setting) {
  return setting.word(of_detection) == setting.word(of_measurement);
}

/// Settings for the interpolation of weights in the detection image.
std::vector<std::string> interpolation_of_detection(const Request& request) {
  const std::string type = our_interpolation(request["INTERP_TYPE"].word(of_detection));
  std::vector<std::string> settings = {"weights.interpolate=" + type};
  if (type == "none") return settings;
  const auto lag = [&](const char* key) { return format_value(request[key].whole(of_detection)); };
  settings.push_back("weights.interpolate_columns=" + lag("INTERP_MAXXLAG"));
  settings.push_back("weights.interpolate_rows=" + lag("INTERP_MAXYLAG"));
  return settings;
}

/// The threshold of an image's weights; none without WEIGHT_THRESH, and none for the measured image if WEIGHT_TYPE has
/// two values and WEIGHT_THRESH one, which SExtractor applies to the detection image only.
std::optional<double> threshold_of(const Request& request, std::size_t index) {
  const Setting& threshold = request["WEIGHT_THRESH"];
  const bool of_first = threshold.values.size() == 1 && request["WEIGHT_TYPE"].values.size() > 1;
  if (threshold.values.empty() || (of_first && index == of_measurement)) return std::nullopt;
  return threshold.number(index);
}

std::vector<std::string> settings_of_detection(const Request& request) {
  const std::string type = our_type(request["WEIGHT_TYPE"].word(of_detection));
  std::vector<std::string> settings = {"weights.type=" + type};
  if (type != "none" && request["WEIGHT_GAIN"].yes()) settings.emplace_back("weights.scale_gain=true");
  if (!is_map(type)) return settings;
  const NamedImage map = file_of(request["WEIGHT_IMAGE"], of_detection);
  settings.push_back("weights.file=" + format_value(map.path));
  if (hdu_of(map) != hdu_of(file_of(request["WEIGHT_IMAGE"], of_measurement)))
    settings.push_back("weights.hdu=" + hdu_of(map));
  if (const std::optional<double> threshold = threshold_of(request, of_detection)) {
    settings.push_back("weights.threshold=" + format_value(*threshold));
    if (*threshold != 0) settings.emplace_back("weights.beyond=detect");
  }
  if (type != "rms")
    settings.push_back("weights.rescale=" + format_value(request["RESCALE_WEIGHTS"].yes(of_detection)));
  if (request["FILTER"].yes()) settings.emplace_back("weights.convolve=true");
  for (std::string& setting : interpolation_of_detection(request)) settings.push_back(std::move(setting));
  return settings;
}

/// Whether the thresholds differ. Weights without a threshold have the threshold 0.
bool has_other_threshold(const Request& request, const std::string& type) {
  const std::optional<double> first = threshold_of(request, of_detection),
                              second = threshold_of(request, of_measurement);
  return type == "weight" ? first.value_or(0) != second.value_or(0) : first != second;
}

/// Whether the detection image has other weights than the measured image, or uses the same map differently.
bool has_own_weights(const Request& request) {
  const Setting &types = request["WEIGHT_TYPE"], &images = request["WEIGHT_IMAGE"];
  const Setting& rescale = request["RESCALE_WEIGHTS"];
  const std::string type = our_type(types.word(of_detection));
  if (type != our_type(types.word(of_measurement))) return true;
  if (!is_map(type)) return false;
  return images.word(of_detection) != images.word(of_measurement) || has_other_threshold(request, type) ||
         (type != "rms" && rescale.yes(of_detection) != rescale.yes(of_measurement));
}

void put_interpolation(const Request& request, Translation& to) {
  const Setting &type = request["INTERP_TYPE"], &columns = request["INTERP_MAXXLAG"], &rows = request["INTERP_MAXYLAG"];
  const std::string ours = our_interpolation(type.word(of_measurement));
  if (!is_one(type) && is_map(our_type(request["WEIGHT_TYPE"].word(of_detection))))
    to.lose_detection(type, "with INTERP_TYPE", interpolation_of_detection(request));
  to.put("weights.interpolate", ours, {&type});
  if (ours == "none") return to.pass_over({&columns, &rows}, "nothing is interpolated");
  // SExtractor takes the first value of each for both images.
  to.put("weights.interpolate_columns", format_value(columns.whole(of_detection)), {&columns});
  to.put("weights.interpolate_rows", format_value(rows.whole(of_detection)), {&rows});
}

void put_map(const Request& request, const std::string& type, Translation& to) {
  const Setting &image = request["WEIGHT_IMAGE"], &threshold = request["WEIGHT_THRESH"];
  const Setting& rescale = request["RESCALE_WEIGHTS"];
  const NamedImage map = file_of(image, of_measurement);
  to.put("weights.file", format_value(map.path), {&image});
  if (!map.extension.empty()) to.put("weights.hdu", map.extension, {&image});
  if (const std::optional<double> value = threshold_of(request, of_measurement)) {
    to.put("weights.threshold", format_value(*value), {&threshold});
    if (*value != 0) to.put("weights.beyond", "detect", {&threshold});
  }
  if (type == "rms")
    to.pass_over({&rescale}, "a map of the noise is taken as it is");
  else
    to.put("weights.rescale", format_value(rescale.yes(of_measurement)), {&rescale});
  if (request["FILTER"].yes()) to.put("weights.convolve", "true", {&request["FILTER"]});
  put_interpolation(request, to);
}

void put_gain(const Request& request, const std::string& type, Translation& to) {
  const Setting& gain = request["WEIGHT_GAIN"];
  if (type == "none")
    to.pass_over({&gain}, "WEIGHT_TYPE asks for no weights");
  else if (gain.yes())
    to.put("weights.scale_gain", "true", {&gain});
  else
    to.pass_over({&gain}, "there is one gain for all pixels, as here without weights.scale_gain");
}

void put_flags(const Request& request, Translation& to) {
  const Setting &images = request["FLAG_IMAGE"], &types = request["FLAG_TYPE"];
  if (!request.wants("IMAFLAGS_ISO") && !request.wants("NIMAFLAGS_ISO"))
    return to.pass_over({&images, &types}, "neither IMAFLAGS_ISO nor NIMAFLAGS_ISO is asked for");
  // SExtractor combines by OR the maps beyond the last FLAG_TYPE.
  const auto type_of = [&](std::size_t index) {
    return index < types.values.size() ? in_small_letters(types.word(index)) : "or";
  };
  if (images.values.empty()) return;
  const NamedImage first = file_of(images, 0);
  to.put("flags.file", format_value(first.path), {&images});
  if (!first.extension.empty()) to.put("flags.hdu", first.extension, {&images});
  to.put("flags.type", type_of(0), {&types});
  std::string further;
  for (std::size_t i = 1; i < images.values.size(); ++i) {
    const NamedImage map = file_of(images, i);
    further += (further.empty() ? "" : ", ") + std::string("{file: ") + format_value(map.path) +
               (map.extension.empty() ? "" : ", hdu: " + map.extension) + ", type: " + type_of(i) + "}";
  }
  if (!further.empty()) to.put("flags.further", "[" + further + "]", {&images, &types});
}

}  // namespace

void translate_weights(const Request& request, Translation& to) {
  const Setting &types = request["WEIGHT_TYPE"], &images = request["WEIGHT_IMAGE"];
  const std::string type = our_type(types.word(of_measurement));
  if (has_own_weights(request)) to.lose_detection(types, "with the weights", settings_of_detection(request));
  to.put("weights.type", type, {&types});
  if (is_map(type))
    put_map(request, type, to);
  else
    to.pass_over({&images, &request["WEIGHT_THRESH"], &request["RESCALE_WEIGHTS"], &request["INTERP_TYPE"],
                  &request["INTERP_MAXXLAG"], &request["INTERP_MAXYLAG"]},
                 "WEIGHT_TYPE asks for no map");
  put_gain(request, type, to);
  put_flags(request, to);
}

}  // namespace srcextract::sextractor
