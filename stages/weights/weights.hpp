#pragma once

#include "stages/ingest/ingest.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// Applies a map of the kind `config.type` to `pixels`, which must have its shape. Sets pixels.variance to the variance
/// of each pixel, still to be multiplied by a factor if the map is rescaled.
/// - A pixel is masked, and counted in masked.weight, if its map value is not above 0 or not finite, or its variance
///   no_variance or more. The same holds for a value beyond config.threshold (a weight at most, or a noise at least).
/// - If variances are interpolated, pixels.kept keeps the values of masked pixels.
/// - If detects_beyond(config), pixels.kept masks only the pixels without a variance. pixels.variance is then masked
///   where pixels.kept is.
void apply_weights(Image<float, Cpu>&& map, const WeightsConfig& config, Pixels<Cpu>& pixels, const Cpu& where);
void apply_weights(Image<float, Gpu>&& map, const WeightsConfig& config, Pixels<Gpu>& pixels, const Gpu& where);

}  // namespace srcextract
