#pragma once

#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// An image and the variance of each pixel; if one of both is masked, so is the other.
template <class Where>
struct Interpolated {
  Image<float, Where> image, variance;
};

inline void record_fields(const Interpolated<Cpu>& filled, FieldRecorder& to) {
  to.pixels("pixel", filled.image);
  to.pixels("variance of pixel", filled.variance);
}

/// Fills bad pixels by SExtractor's interpolation (INTERP_TYPE ALL and VAR_ONLY, INTERP_MAXXLAG, INTERP_MAXYLAG;
/// checked against 2.25).
///
/// A pixel is bad if it is masked in `variance`. If detects_beyond(config), a pixel whose variance is beyond the
/// threshold is bad too; variances are then first multiplied by the square of `scale` (null: no scaling).
///
/// A bad pixel takes over the variance of another pixel and, with config.interpolate `all`, its value:
/// - The first config.interpolate_columns bad pixels after a good one in a row copy that good pixel.
/// - Any other bad pixel copies the result of the previous row, for at most config.interpolate_rows pixels since the
///   last good pixel of its column.
/// - All further bad pixels stay unchanged.
///
/// Rows count from the first of the image. If only variances are copied, a pixel masked in `image` stays masked.
///
/// A column is processed from its first row to its last. Of other columns only good pixels are read, which never
/// change, so columns are independent. Nothing is computed: both back ends copy the same floats.
Interpolated<Cpu> interpolate_bad(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                                  const WeightsConfig& config, const Cpu& where,
                                  const Value<double, Cpu>* scale = nullptr);
Interpolated<Gpu> interpolate_bad(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                                  const WeightsConfig& config, const Gpu& where,
                                  const Value<double, Gpu>* scale = nullptr);

}  // namespace srcextract
