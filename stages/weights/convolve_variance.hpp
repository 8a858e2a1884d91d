#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/settings/convolve.hpp"

namespace srcextract {

/// The pixel variances that SExtractor uses for thresholds in a convolved image (checked against 2.25): convolved with
/// the kernel itself, not its square, about 0. Masked pixels stay masked.
///
/// Throws Error{config} if the kernel is larger than the image.
Image<float, Cpu> convolve_variance(const Image<float, Cpu>& variance, const Kernel& kernel, Edges edges,
                                    const Cpu& where);
Image<float, Gpu> convolve_variance(const Image<float, Gpu>& variance, const Kernel& kernel, Edges edges,
                                    const Gpu& where);

}  // namespace srcextract
