#pragma once

#include "stages/convolve/convolve.hpp"

namespace srcextract {

/// Convolves variances with the kernel itself, not its square. SExtractor does the same for thresholds in a convolved
/// image (checked against version 2.25). Masked pixels stay masked.
inline Image<float, Cpu> convolve_variance(const Image<float, Cpu>& variance, const Kernel& kernel, Edges edges,
                                           const Cpu& where) {
  return convolve(variance, kernel, edges, Value<Background, Cpu>(), where);
}
Image<float, Gpu> convolve_variance(const Image<float, Gpu>& variance, const Kernel& kernel, Edges edges,
                                    const Gpu& where);

}  // namespace srcextract
