#pragma once

#include "config/settings/weights.hpp"
#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"

namespace srcextract {

/// An image, and the variance of each of its pixels, which are masked together.
template <class Where>
struct Interpolated {
  Image<float, Where> image, variance;
};

inline void record_fields(const Interpolated<Cpu>& filled, FieldRecorder& to) {
  to.pixels("pixel", filled.image);
  to.pixels("variance of pixel", filled.variance);
}

/// SExtractor's interpolation (INTERP_TYPE ALL and VAR_ONLY, INTERP_MAXXLAG, INTERP_MAXYLAG; 2.25 run beside it). Bad
/// is what is masked in `variance`, and where sources are found beyond the threshold, what is beyond it, once variances
/// are multiplied by the square of `scale` (null: they are what they are). Of the bad pixels that follow a good one
/// along their row, the first config.interpolate_columns take over its variance, and with config.interpolate `all` its
/// value. Any other takes over what the pixel of the row before was left with, as long as no more than
/// config.interpolate_rows have done so in their column since it had a good one; or stays what it was. Rows count from
/// the first of the image. Without values, a pixel that is masked in `image` stays so.
///
/// A column is followed from its first row to its last; of other columns it takes good pixels alone, which nothing
/// changes, so they do not wait for one another. Nothing is computed: both back ends copy the same floats.
Interpolated<Cpu> interpolate_bad(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                                  const WeightsConfig& config, const Cpu& where,
                                  const Value<double, Cpu>* scale = nullptr);
Interpolated<Gpu> interpolate_bad(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                                  const WeightsConfig& config, const Gpu& where,
                                  const Value<double, Gpu>* scale = nullptr);

}  // namespace srcextract
