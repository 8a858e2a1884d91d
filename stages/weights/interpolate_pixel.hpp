#pragma once

#include <cstdint>

#include "config/settings/weights.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

/// A pixel and the variance of its noise.
struct WeighedPixel {
  float value, variance;
};

/// How bad pixels take over from others, for both back ends.
struct GapRules {
  bool values;           ///< also the values
  std::int64_t columns;  ///< most pixels from a good one along its row
  std::int32_t rows;     ///< most pixels that take over along a column
  float least_bad;       ///< variance from which on a pixel is bad, as it is without one

  explicit GapRules(const WeightsConfig& config)
      : values(config.interpolate == Interpolate::all),
        columns(config.interpolate_columns),
        rows(static_cast<std::int32_t>(config.interpolate_rows)),
        least_bad(least_bad_variance(config)) {}

  SRCEXTRACT_HOST_DEVICE bool is_good(float variance) const { return variance < least_bad; }
};

/// A column on its way up: what its last pixel was left as, and how many bad ones may still take that over.
struct ColumnState {
  WeighedPixel last = {masked_pixel, masked_pixel};
  std::int32_t left = 0;
};

/// How far before column `x` the last pixel of its row is that is not bad; 0 if it is further away than rules.columns,
/// or there is none.
SRCEXTRACT_HOST_DEVICE inline std::int64_t distance_to_good(const float* variances, std::int64_t x,
                                                            const GapRules& rules) {
  const std::int64_t farthest = rules.columns < x ? rules.columns : x;
  for (std::int64_t distance = 1; distance <= farthest; ++distance) {
    if (rules.is_good(variances[x - distance])) return distance;
  }
  return 0;
}

/// Takes the column to its next pixel, `x` of a row, and returns what becomes of it. A bad one that takes over nothing
/// is left as it is; a pixel and its variance are masked together.
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
