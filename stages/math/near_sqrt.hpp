#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The square root of x >= 0 within two roundings, 1.2e-7 of it: not the same everywhere, for guesses that are checked.
SRCEXTRACT_HOST_DEVICE inline float near_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));  // several times as fast as one that is rounded
  return root;
#else
  return std::sqrt(x);
#endif
}

}  // namespace srcextract
