#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Selects pixels that are excluded from an estimate of the sky: those more than `least` times the noise above the
/// level, and all within `margin` pixels of one in x and in y.
struct BrightRule {
  double least = 5;
  std::int64_t margin = 4;

  SRCEXTRACT_HOST_DEVICE bool is_bright(float pixel, float level, float rms) const {
    return pixel - level > static_cast<float>(least * static_cast<double>(rms));
  }
};

/// Converts a pixel to units of the noise above the sky's level. Where the noise is 0, the unit stays that of the
/// pixel.
SRCEXTRACT_HOST_DEVICE inline float in_units_of_noise(float pixel, float level, float rms) {
  return rms > 0 ? (pixel - level) / rms : pixel - level;
}

/// Returns the image above the level of `mesh`, in units of its noise, with bright pixels masked.
Image<float, Cpu> mask_bright(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const BrightRule& rule,
                              const Cpu& where);
Image<float, Gpu> mask_bright(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const BrightRule& rule,
                              const Gpu& where);

}  // namespace srcextract
