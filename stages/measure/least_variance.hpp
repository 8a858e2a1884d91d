#pragma once

#include <span>

#include "stages/core/image.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// Returns the least variance of each source's pixels; element k is for label k + 1. The values of `variance` must not
/// be negative, and no pixel of a source may be masked in `variance`.
Buffer<float, Cpu> least_variance(const Image<float, Cpu>& variance, const Runs<Cpu>& runs,
                                  const Components<Cpu>& components, const Cpu& where);
Buffer<float, Gpu> least_variance(const Image<float, Gpu>& variance, const Runs<Gpu>& runs,
                                  const Components<Gpu>& components, const Gpu& where);

/// Returns the least variance of each source's pixels if a sky mesh gives the noise: the square of the least noise of a
/// pixel, rounded to float.
Buffer<float, Cpu> least_variance(const SkyMesh<Cpu>& noise, const Runs<Cpu>& runs, const Components<Cpu>& components,
                                  const Cpu& where);
Buffer<float, Gpu> least_variance(const SkyMesh<Gpu>& noise, const Runs<Gpu>& runs, const Components<Gpu>& components,
                                  const Gpu& where);

/// Returns the least variance of each source's pixels, from the variance map or else from the mesh of `noise`; empty if
/// `noise` has neither.
template <class Where>
Buffer<float, Where> least_variance(const NoiseMap<Where>& noise, const Runs<Where>& runs,
                                    const Components<Where>& components, const Where& where) {
  if (noise.variance != nullptr) return least_variance(*noise.variance, runs, components, where);
  if (noise.mesh != nullptr) return least_variance(*noise.mesh, runs, components, where);
  return {};
}

inline void record_fields(const Buffer<float, Cpu>& least, FieldRecorder& to) {
  to.values("least variance of a pixel", Element::source, std::span(least.begin(), least.end()));
}

}  // namespace srcextract
