#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Defines the pixels that an estimate of the sky leaves out: those more than `least` times the noise above the level,
/// and all pixels at most `margin` pixels away from any of these in both x and y.
struct BrightRule {
  double least = 5;
  std::int64_t margin = 4;

  SRCEXTRACT_HOST_DEVICE bool is_bright(float pixel, float level, float rms) const {
    return pixel - level > static_cast<float>(least * static_cast<double>(rms));
  }
};

/// The height of a pixel above the sky's level in units of the noise; in units of the pixel where the noise is 0.
SRCEXTRACT_HOST_DEVICE inline float in_units_of_noise(float pixel, float level, float rms) {
  return rms > 0 ? (pixel - level) / rms : pixel - level;
}

/// Returns the image minus the level of `mesh`, divided by the mesh's noise, with bright pixels masked.
Image<float, Cpu> mask_bright(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const BrightRule& rule,
                              const Cpu& where);
Image<float, Gpu> mask_bright(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const BrightRule& rule,
                              const Gpu& where);

}  // namespace srcextract
