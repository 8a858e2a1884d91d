#pragma once

#include "stages/ingest/ingest.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// Applies a map of the kind `config.type` to `pixels`, which have its shape. pixels.variance becomes the variance of
/// each pixel, up to a factor if it is to be rescaled.
/// - A pixel is masked, and counted in masked.weight, if its map value is not above 0 or not finite, or reaches
/// config.threshold: a weight no larger, or a noise no smaller.
/// - If variances are interpolated, pixels.kept keeps the values of masked pixels.
/// - If sources are found beyond the threshold, pixels.kept lacks only the pixels without a variance. pixels.variance
/// is then masked where pixels.kept is.
void apply_weights(Image<float, Cpu>&& map, const WeightsConfig& config, Pixels<Cpu>& pixels, const Cpu& where);
void apply_weights(Image<float, Gpu>&& map, const WeightsConfig& config, Pixels<Gpu>& pixels, const Gpu& where);

}  // namespace srcextract
