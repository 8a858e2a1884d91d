#pragma once

#include "config/settings/weights.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Takes a map of what `config.type` says into `pixels`, which are of its shape: their variance, up to a factor if it
/// is to be rescaled, in pixels.variance. Where a map's value is not above 0 or not finite, weighs no more than
/// config.threshold, or is no less noisy than that, the pixel is masked, and counted in masked.weight;
/// where variances are to be interpolated, its value stays in pixels.kept. Where sources are found beyond the
/// threshold, pixels.kept is the image without what has no variance alone, and pixels.variance is masked where that is.
void apply_weights(Image<float, Cpu>&& map, const WeightsConfig& config, Pixels<Cpu>& pixels, const Cpu& where);
void apply_weights(Image<float, Gpu>&& map, const WeightsConfig& config, Pixels<Gpu>& pixels, const Gpu& where);

}  // namespace srcextract
