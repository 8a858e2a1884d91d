#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "cuda/sky/clip_state.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// The sample of an image and what the clip begins with: the unmasked pixels of it in order, and a state whose grid and
/// guess come from them.
struct SkySample {
  Buffer<float, Gpu> sorted;
  Buffer<ClipState, Gpu> state;
};

/// Draws the sample (stages/sky/sky_sample.hpp) and makes the guess; queued, nothing waits.
SkySample draw_sky_sample(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where);

}  // namespace srcextract
