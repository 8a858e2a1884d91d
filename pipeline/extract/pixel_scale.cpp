#include "pipeline/extract/pixel_scale.hpp"

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>

#include "io/wcs/wcs.hpp"
#include "stages/catalogue/measured_columns.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Matrix elements below this fraction of the pixel's side are rounding errors of 0.
constexpr double rounded_to_none = 1e-9;

}  // namespace

Config with_pixel_scale(const ImageInput& input) {
  Config config = input.config();
  if (input.positions != nullptr) return config;  // neither thresholds nor such columns exist then
  const bool for_thresholds = config.detection.threshold_unit == ThresholdUnit::mag_per_arcsec2;
  const ColumnChoice choice(config.output.columns);
  const bool for_class = choice.has("CLASS_STAR") && !config.measurement.nnw.empty();
  const bool for_brightness = choice.has("MU_MAX") || choice.has("MU_THRESHOLD");
  const bool for_a_column = for_brightness || for_class;
  if ((!for_thresholds && !for_a_column) || config.measurement.pixel_scale > 0) return config;
  const std::string reason = measure_pixel(input.header(), input.exposure.shape(), config.measurement.pixel_scale);
  if (!reason.empty() && config.kept.as_sextractor && !for_thresholds)
    if (const LinearPixel degrees = linear_pixel(input.header()); degrees.side > 0) {
      config.measurement.pixel_scale = degrees.side * 3600;
      if (degrees.last_by_last > rounded_to_none * degrees.side)
        config.measurement.class_scale = degrees.last_by_last * 3600;
      spdlog::warn(
          "{}: {}; as SExtractor has it, a pixel is {:.6g} arcseconds wide for MU_MAX and CLASS_STAR: "
          "PIXEL_SCALE can tell its size",
          input.name, reason, config.measurement.pixel_scale);
      return config;
    }
  if (!reason.empty() && !for_thresholds) {
    std::string columns;
    for (const char* name : {"MU_MAX", "MU_THRESHOLD", "CLASS_STAR"})
      if (choice.has(name) && (for_class || name != std::string_view("CLASS_STAR")))
        columns += (columns.empty() ? "" : ", ") + std::string(name);
    columns += columns.find(',') == std::string::npos ? " is" : " are";
    spdlog::warn("{}: {} NaN for want of the size of a pixel: {}; set measurement.pixel_scale, in arcseconds",
                 input.name, columns, reason);
    return config;
  }
  if (!reason.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: a threshold in mag_per_arcsec2 needs the size of a pixel, and {}; set "
                            "measurement.pixel_scale, in arcseconds",
                            config.place_of("detection.threshold_unit"), reason));
  spdlog::info("{}: by its WCS a pixel is {:.6g} arcseconds wide", input.name, config.measurement.pixel_scale);
  return config;
}

Config with_scale_of_thresholds(const ImageInput& input) {
  const bool by_scale = input.config().detection.threshold_unit == ThresholdUnit::mag_per_arcsec2;
  return by_scale ? with_pixel_scale(input) : input.config();
}

}  // namespace srcextract
