#pragma once

#include <span>

#include "stages/core/image.hpp"
#include "stages/detect/label.hpp"

namespace srcextract {

/// The least variance of each source's pixels: element k for label k + 1. `variance` is not negative, and no pixel of a
/// source is masked in it.
Buffer<float, Cpu> least_variance(const Image<float, Cpu>& variance, const Runs<Cpu>& runs,
                                  const Components<Cpu>& components, const Cpu& where);
Buffer<float, Gpu> least_variance(const Image<float, Gpu>& variance, const Runs<Gpu>& runs,
                                  const Components<Gpu>& components, const Gpu& where);

inline void record_fields(const Buffer<float, Cpu>& least, FieldRecorder& to) {
  to.values("least variance of a pixel", Element::source, std::span(least.begin(), least.end()));
}

}  // namespace srcextract
