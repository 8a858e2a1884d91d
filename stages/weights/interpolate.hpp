#pragma once

#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// An image and the variance of each pixel. A pixel and its variance are masked together.
template <class Where>
struct Interpolated {
  Image<float, Where> image, variance;
};

inline void record_fields(const Interpolated<Cpu>& filled, FieldRecorder& to) {
  to.pixels("pixel", filled.image);
  to.pixels("variance of pixel", filled.variance);
}

/// Fills bad pixels as SExtractor does (INTERP_TYPE ALL and VAR_ONLY, INTERP_MAXXLAG, INTERP_MAXYLAG; checked against
/// version 2.25).
///
/// A pixel is bad if it is masked in `variance`. If detects_beyond(config), a pixel is also bad if its variance,
/// multiplied by the square of `scale`, is beyond config.threshold. Without a `scale` (null), variances are compared as
/// they are.
///
/// A bad pixel copies the variance of another pixel and, with config.interpolate `all`, also its value:
/// - The first config.interpolate_columns bad pixels after a good pixel in a row copy that good pixel.
/// - A later bad pixel copies the result at the same column in the previous row, for at most config.interpolate_rows
///   pixels since the last good pixel of the column.
/// - All other bad pixels stay unchanged.
///
/// If only variances are copied, a pixel that is masked in `image` stays masked.
///
/// A column is processed from its first row to its last. From other columns only pixels of the input are read, never
/// results, so that columns can be processed in parallel. The floats are copied without arithmetic, so that CPU and GPU
/// results are equal.
Interpolated<Cpu> interpolate_bad(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                                  const WeightsConfig& config, const Cpu& where,
                                  const Value<double, Cpu>* scale = nullptr);
Interpolated<Gpu> interpolate_bad(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                                  const WeightsConfig& config, const Gpu& where,
                                  const Value<double, Gpu>* scale = nullptr);

}  // namespace srcextract
