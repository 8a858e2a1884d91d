#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/settings/convolve.hpp"

namespace srcextract {

/// Computes the variances that SExtractor uses for thresholds in a convolved image (checked against 2.25): the
/// variances convolved with the kernel itself, not its square. Masked pixels stay masked.
///
/// Throws Error{config} if the kernel is larger than the image.
Image<float, Cpu> convolve_variance(const Image<float, Cpu>& variance, const Kernel& kernel, Edges edges,
                                    const Cpu& where);
Image<float, Gpu> convolve_variance(const Image<float, Gpu>& variance, const Kernel& kernel, Edges edges,
                                    const Gpu& where);

}  // namespace srcextract
