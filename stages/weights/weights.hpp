#pragma once

#include "stages/ingest/ingest.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// Applies a map of the kind `config.type` to `pixels`, which must have the map's shape. Sets pixels.variance to the
/// variance of each pixel. If the map is rescaled (is_rescaled), a later step multiplies the variances by a factor.
/// - A pixel is masked and, unless masked before, counted in masked.weight if its map value is not above 0 or not
///   finite. The same holds if its variance is 0 in float, or no_variance or more.
/// - A pixel is also masked and counted if its map value is beyond config.threshold: a weight of at most the threshold,
///   or an rms or variance of at least the threshold.
/// - If only variances are interpolated, pixels.kept keeps the values of masked pixels.
/// - Else, if detects_beyond(config), pixels.kept is masked exactly where pixels.variance is: at pixels that were
///   masked before and at pixels without a variance.
void apply_weights(Image<float, Cpu>&& map, const WeightsConfig& config, Pixels<Cpu>& pixels, const Cpu& where);
void apply_weights(Image<float, Gpu>&& map, const WeightsConfig& config, Pixels<Gpu>& pixels, const Gpu& where);

}  // namespace srcextract
