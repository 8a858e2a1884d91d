#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The square root of x >= 0 with a relative error of at most 1.2e-7. Host and GPU may round differently, so use the
/// result only as a guess that exact code then checks.
SRCEXTRACT_HOST_DEVICE inline float near_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));  // several times as fast as the exact root
  return root;
#else
  return std::sqrt(x);
#endif
}

}  // namespace srcextract
