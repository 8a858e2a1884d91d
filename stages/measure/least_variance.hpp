#pragma once

#include <limits>
#include <span>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// Returns the least variance of each source's pixels; element k is for label k + 1. The values of `variance` must not
/// be negative, and no pixel of a source may be masked in `variance`.
Buffer<double, Cpu> least_variance(const Image<float, Cpu>& variance, const Runs<Cpu>& runs,
                                   const Components<Cpu>& components, const Cpu& where);
Buffer<double, Gpu> least_variance(const Image<float, Gpu>& variance, const Runs<Gpu>& runs,
                                   const Components<Gpu>& components, const Gpu& where);

/// The square of a pixel's noise, rounded to float as variances of maps are, unless float cannot hold it: the noise of
/// images in small units, such as 1e-30 W/m2/Hz, has squares below all floats.
SRCEXTRACT_HOST_DEVICE inline double variance_of(float noise) {
  const float square = noise * noise;
  const bool is_held = square >= std::numeric_limits<float>::min() && square <= std::numeric_limits<float>::max();
  return is_held ? static_cast<double>(square) : static_cast<double>(noise) * static_cast<double>(noise);
}

/// Returns the least variance of each source's pixels if a sky mesh gives the noise: variance_of() the least noise of a
/// pixel.
Buffer<double, Cpu> least_variance(const SkyMesh<Cpu>& noise, const Runs<Cpu>& runs, const Components<Cpu>& components,
                                   const Cpu& where);
Buffer<double, Gpu> least_variance(const SkyMesh<Gpu>& noise, const Runs<Gpu>& runs, const Components<Gpu>& components,
                                   const Gpu& where);

/// Returns the least variance of each source's pixels, from the variance map or else from the mesh of `noise`; empty if
/// `noise` has neither.
template <class Where>
Buffer<double, Where> least_variance(const NoiseMap<Where>& noise, const Runs<Where>& runs,
                                     const Components<Where>& components, const Where& where) {
  if (noise.variance != nullptr) return least_variance(*noise.variance, runs, components, where);
  if (noise.mesh != nullptr) return least_variance(*noise.mesh, runs, components, where);
  return {};
}

inline void record_fields(const Buffer<double, Cpu>& least, FieldRecorder& to) {
  to.values("least variance of a pixel", Element::source, std::span(least.begin(), least.end()));
}

}  // namespace srcextract
