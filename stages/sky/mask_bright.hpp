#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Pixels that do not tell of the sky: those above its level by `least` times its noise, and all that lie within
/// `margin` pixels of one, in x and in y.
struct BrightRule {
  double least = 5;
  std::int64_t margin = 4;

  SRCEXTRACT_HOST_DEVICE bool is_bright(float pixel, float level, float rms) const {
    return pixel - level > static_cast<float>(least * static_cast<double>(rms));
  }
};

/// A pixel above the level in units of the noise; where that is 0, in its own.
SRCEXTRACT_HOST_DEVICE inline float in_units_of_noise(float pixel, float level, float rms) {
  return rms > 0 ? (pixel - level) / rms : pixel - level;
}

/// The image above its level in units of its noise, which the mesh tells, with bright pixels masked.
Image<float, Cpu> mask_bright(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const BrightRule& rule,
                              const Cpu& where);
Image<float, Gpu> mask_bright(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const BrightRule& rule,
                              const Gpu& where);

}  // namespace srcextract
