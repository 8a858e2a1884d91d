#pragma once

#include <cstdint>

#include "cuda/sky/clip_state.hpp"
#include "stages/core/buffer.hpp"
#include "stages/settings/background.hpp"

namespace srcextract {

/// Numbers of unmasked pixels, and of pixels equal to 0, in a chunk of the sample.
struct SampleCounts {
  int unmasked;
  int zeros;
};

/// Draws the sample of an image (stages/sky/sky_sample.hpp) on the device, and owns the memory of the sample and of the
/// clip's state. draw() only queues kernels; the host does not wait.
class SkySample {
 public:
  /// `count` is the number of pixels of the image.
  SkySample(std::int64_t count, const Gpu& where);

  /// Draws the sample from `pixels`, sorts its unmasked pixels, and sets grid and guess in the state from them.
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
