#pragma once

#include <cstdint>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Numbers of masked pixels in a source and next to it.
struct LowWeight {
  std::int32_t own;  ///< number of the source's pixels that are masked in the measured image
  /// number of the source's pixels that are masked, or have a masked 8-neighbour, in the detection image
  std::int32_t beside;
  std::int32_t flags;  ///< always 0

  bool operator==(const LowWeight&) const = default;
};

/// SExtractor's NLOWWEIGHT_ISO, NLOWDWEIGHT_ISO and FLAGS_WEIGHT. NLOWWEIGHT_ISO is the number of a source's pixels
/// with too low a weight in the measured image. NLOWDWEIGHT_ISO is the number of its pixels that are, or touch, a pixel
/// of too low weight in the detection image. Here every masked pixel counts, whether a weight map, a mask or NaN masks
/// it. A pixel interpolated from its neighbours (weights.interpolate) does not count.
struct LowWeightFamily {
  using Row = LowWeight;
  static constexpr const char* name = "low weight";

  explicit LowWeightFamily(const Settings&) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE LowWeight measure(const Lanes& lanes, const MeasuredSource& source,
                                           const PhotometryImage& image, int) const {
    return measure_in(lanes, source, image, image);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE LowWeight measure_in(const Lanes& lanes, const MeasuredSource& source,
                                              const PhotometryImage& found_in, const PhotometryImage& image) const {
    const auto bad = lanes.template count<2>(own_box(*source.found), [&](std::int32_t x, std::int32_t y) -> Counted<2> {
      const std::int64_t i = image.at(x, y);
      if (image.owner[i] != source.number) return {};
      return {{image.is_bad(i) ? 1 : 0, touches_bad(found_in, x, y) ? 1 : 0}};
    });
    return {static_cast<std::int32_t>(bad.counts[0]), static_cast<std::int32_t>(bad.counts[1]), 0};
  }

  static constexpr RowColumn<LowWeight> columns[] = {
      {"NLOWWEIGHT_ISO", "pixel", area_ucd, "Number of its pixels that are bad where it is measured", "surroundings",
       [](const LowWeight& row, const FluxCalibration&) { return row.own; }},
      {"NLOWDWEIGHT_ISO", "pixel", area_ucd, "Number of its pixels that are, or touch, bad ones where it was found",
       "surroundings", [](const LowWeight& row, const FluxCalibration&) { return row.beside; }, of_found},
      {"FLAGS_WEIGHT", "", "meta.code", "1 NLOWWEIGHT_ISO is above 0, 2 NLOWDWEIGHT_ISO is", "surroundings",
       [](const LowWeight& row, const FluxCalibration&) {
         return static_cast<std::int16_t>((row.own > 0 ? 1 : 0) + (row.beside > 0 ? 2 : 0));
       }},
  };

 private:
  SRCEXTRACT_HOST_DEVICE static bool touches_bad(const PhotometryImage& image, std::int32_t x, std::int32_t y) {
    for (std::int32_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < image.height; ++v)
      for (std::int32_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < image.width; ++u)
        if (image.is_bad(image.at(u, v))) return true;
    return false;
  }
};

inline void record_fields(const Buffer<LowWeight, Cpu>& rows, FieldRecorder& to) {
  to.members("bad pixels", Element::source, rows, &LowWeight::own);
  to.members("pixels beside bad ones", Element::source, rows, &LowWeight::beside);
}

}  // namespace srcextract
