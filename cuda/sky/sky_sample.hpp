#pragma once

#include <cstdint>

#include "cuda/sky/clip_state.hpp"
#include "stages/core/buffer.hpp"
#include "stages/settings/background.hpp"

namespace srcextract {

/// Numbers of unmasked pixels and of zeros in a chunk of the sample.
struct SampleCounts {
  int unmasked;
  int zeros;
};

/// Draws the sample of an image on a device, and holds the memory for it and for the clip's state. The clip needs the
/// sample's unmasked pixels, sorted, and a state whose grid and guess come from them. draw() queues kernels; the host
/// does not wait.
class SkySample {
 public:
  /// For an image of `count` pixels.
  SkySample(std::int64_t count, const Gpu& where);

  /// Draws the sample (stages/sky/sky_sample.hpp) from `pixels`, sorts it, and makes the guess.
  void draw(const float* pixels, const BackgroundConfig& config, const Gpu& where);

  const float* sorted() const { return sorted_.data(); }
  ClipState* state() { return state_.data(); }

 private:
  std::int64_t count_;
  int samples_, chunks_;
  Buffer<std::int32_t, Gpu> keys_;
  Buffer<SampleCounts, Gpu> counts_;
  Buffer<float, Gpu> sorted_;
  Buffer<ClipState, Gpu> state_;
};

}  // namespace srcextract
