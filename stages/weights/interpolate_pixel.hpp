#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/settings/weights.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

/// The value of a pixel and the variance of its noise.
struct WeighedPixel {
  float value, variance;
};

/// The rules by which bad pixels copy other pixels; CPU and GPU code share them.
struct GapRules {
  bool values;           ///< whether values are copied too, not only variances
  std::int64_t columns;  ///< maximum distance in pixels to the good pixel of the same row that is copied
  std::int32_t rows;     ///< maximum number of pixels that copy along a column
  float least_bad;       ///< variances of at least this are bad; masked variances (NaN) are bad too

  explicit GapRules(const WeightsConfig& config)
      : values(config.interpolate == Interpolate::all),
        columns(config.interpolate_columns),
        rows(static_cast<std::int32_t>(config.interpolate_rows)),
        least_bad(least_bad_variance(config)) {}

  SRCEXTRACT_HOST_DEVICE bool is_good(float variance) const { return variance < least_bad; }
};

/// The state of a column that is being filled: its last result, and how many further bad pixels may copy that result.
struct ColumnState {
  WeighedPixel last = {masked_pixel, masked_pixel};
  std::int32_t left = 0;
};

SRCEXTRACT_HOST_DEVICE inline std::int64_t distance_to_good(const float* variances, std::int64_t x,
                                                            const GapRules& rules) {
  const std::int64_t farthest = rules.columns < x ? rules.columns : x;
  for (std::int64_t distance = 1; distance <= farthest; ++distance) {
    if (rules.is_good(variances[x - distance])) return distance;
  }
  return 0;
}

/// Fills the next pixel of a column, and returns its value and variance. `values` and `variances` are the pixel's row,
/// `x` is its column. A bad pixel that copies nothing stays unchanged. Value and variance are masked together.
SRCEXTRACT_HOST_DEVICE inline WeighedPixel fill_pixel(const float* values, const float* variances, std::int64_t x,
                                                      const GapRules& rules, ColumnState& column) {
  const WeighedPixel own = {values[x], variances[x]};
  if (rules.is_good(own.variance)) {
    column = {own, rules.rows};
    return own;
  }
  const std::int64_t distance = distance_to_good(variances, x, rules);
  if (distance > 0) {
    column.last = {values[x - distance], variances[x - distance]};
  } else if (column.left > 0) {
    --column.left;
  } else {
    column.last = own;
  }
  const float value = rules.values ? column.last.value : own.value, variance = column.last.variance;
  return {variance != variance ? masked_pixel : value, value != value ? masked_pixel : variance};
}

}  // namespace srcextract
