#include "pipeline/extract/detector_keywords.hpp"

#include <spdlog/spdlog.h>

#include <cmath>
#include <optional>
#include <variant>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// A number, or -1.
double number_of(const HeaderValue& value) {
  if (const auto* real = std::get_if<double>(&value.value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) return static_cast<double>(*integer);
  return -1;
}

/// The keyword's value, above 0, or 0 if `may_be_0`; empty if the header has no such keyword. Messages name `key`, the
/// setting of the keyword, and `instead`, the setting of the number, both in section measurement.
std::optional<double> number_in_header(const ImageInput& input, const std::string& keyword, const std::string& key,
                                       const std::string& instead, bool may_be_0) {
  for (const HeaderValue& value : header_values(input.header(), input.frame.image().primary_header(), {keyword})) {
    if (value.keyword != keyword) continue;
    const double number = number_of(value);
    if ((number > 0 || (may_be_0 && number == 0)) && std::isfinite(number)) return number;
    throw Error(ErrorKind::input,
                fmt::format("{}: {} of the image is no number {} 0; correct it, or set measurement.{} and no keyword",
                            input.file.config->config.place_of("measurement." + key), keyword,
                            may_be_0 ? "of at least" : "above", instead));
  }
  return std::nullopt;
}

}  // namespace

double saturation_level(const ImageInput& input) {
  const MeasurementConfig& config = input.file.config->config.measurement;
  const std::string& keyword = config.saturation_keyword;
  if (keyword == "none") return config.saturation;
  if (const auto level = number_in_header(input, keyword, "saturation_keyword", "saturation", false)) return *level;
  if (config.saturation == 0)
    spdlog::warn(
        "{}: its header has no {}, so no source is flagged as saturated; measurement.saturation can give the "
        "level",
        input.name, keyword);
  return config.saturation;
}

double detector_gain(const ImageInput& input) {
  const MeasurementConfig& config = input.file.config->config.measurement;
  const std::string& keyword = config.gain_keyword;
  if (keyword == "none") return config.gain;
  const auto gain = number_in_header(input, keyword, "gain_keyword", "gain", true);  // 0: infinite, as in SExtractor
  if (gain.value_or(config.gain) == 0)
    spdlog::warn("{}: its header has {}, so errors of fluxes have no photon noise of sources; {}", input.name,
                 gain ? keyword + " = 0" : "no " + keyword,
                 gain ? "measurement.gain without gain_keyword can give it" : "measurement.gain can give it");
  return gain.value_or(config.gain);
}

}  // namespace srcextract
