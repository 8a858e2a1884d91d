#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/settings/weights.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

/// A pixel and the variance of its noise.
struct WeighedPixel {
  float value, variance;
};

/// The rules by which bad pixels copy other pixels, for both back ends.
struct GapRules {
  bool values;           ///< copy values too, not only variances
  std::int64_t columns;  ///< largest distance to the good pixel of the row that is copied
  std::int32_t rows;     ///< most pixels that copy along a column
  float least_bad;       ///< smallest variance that is bad; masked variances are bad too

  explicit GapRules(const WeightsConfig& config)
      : values(config.interpolate == Interpolate::all),
        columns(config.interpolate_columns),
        rows(static_cast<std::int32_t>(config.interpolate_rows)),
        least_bad(least_bad_variance(config)) {}

  SRCEXTRACT_HOST_DEVICE bool is_good(float variance) const { return variance < least_bad; }
};

/// The state of a column while it is filled: its last result, and how many bad pixels may still copy it.
struct ColumnState {
  WeighedPixel last = {masked_pixel, masked_pixel};
  std::int32_t left = 0;
};

/// The distance from column `x` back to the last good pixel of its row; 0 if there is no good pixel within
/// rules.columns.
SRCEXTRACT_HOST_DEVICE inline std::int64_t distance_to_good(const float* variances, std::int64_t x,
                                                            const GapRules& rules) {
  const std::int64_t farthest = rules.columns < x ? rules.columns : x;
  for (std::int64_t distance = 1; distance <= farthest; ++distance) {
    if (rules.is_good(variances[x - distance])) return distance;
  }
  return 0;
}

/// Fills the next pixel of a column, at `x` of a row, and returns it. A bad pixel that copies nothing stays unchanged.
/// A pixel and its variance are masked together.
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
