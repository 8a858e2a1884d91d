#include "pipeline/image/saturation_level.hpp"

#include <spdlog/spdlog.h>

#include <cmath>
#include <variant>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// A number, or 0.
double number_of(const HeaderValue& value) {
  if (const auto* real = std::get_if<double>(&value.value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) return static_cast<double>(*integer);
  return 0;
}

}  // namespace

double saturation_level(const ImageInput& input) {
  const Config& config = input.file.config->config;
  const std::string& keyword = config.measurement.saturation_keyword;
  if (keyword == "none") return config.measurement.saturation;
  for (const HeaderValue& value : header_values(input.header(), input.frame.image().primary_header(), {keyword})) {
    if (value.keyword != keyword) continue;
    const double level = number_of(value);
    if (level > 0 && std::isfinite(level)) return level;
    throw Error(ErrorKind::input, fmt::format("{}: {} of the image is no number above 0; correct it, or set "
                                              "measurement.saturation and no keyword",
                                              config.place_of("measurement.saturation_keyword"), keyword));
  }
  if (config.measurement.saturation == 0)
    spdlog::warn(
        "{}: its header has no {}, so no source is flagged as saturated; measurement.saturation can give the "
        "level",
        input.name, keyword);
  return config.measurement.saturation;
}

}  // namespace srcextract
