#pragma once

#include "config/settings/convolve.hpp"
#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// The variances of pixels as SExtractor has them for the thresholds of a convolved image (2.25 run beside it):
/// convolved with the same kernel, not with its square, as convolve() does it about 0. What is masked stays masked.
///
/// Throws Error{config} if the kernel is larger than the image.
Image<float, Cpu> convolve_variance(const Image<float, Cpu>& variance, const Kernel& kernel, Edges edges,
                                    const Cpu& where);
Image<float, Gpu> convolve_variance(const Image<float, Gpu>& variance, const Kernel& kernel, Edges edges,
                                    const Gpu& where);

}  // namespace srcextract
