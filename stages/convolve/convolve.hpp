#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/convolve.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Convolves an image with a kernel, about the sky. With d = v - sky (float, one rounding; sky = the clipped median as
/// float),
///   out = sky + sum of weight * d.
/// The sky level therefore does not change, whatever the kernel's sum, and `zero` beyond the edges means sky.
/// SExtractor has the same effect by subtracting the background first. With a background of 0 the result equals
/// scipy.signal.convolve2d(mode="same") with boundary fill, and scipy.ndimage.convolve with nearest and reflect.
///
/// Masked pixels are left out, and the sum is multiplied by (sum of all |weight|) / (sum over unmasked pixels). Pixels
/// beyond the edge count as unmasked with `zero`. A masked pixel stays masked. A pixel becomes masked if no weight is
/// left, or if the result is beyond the range of float.
///
/// Rounding is all in float, so both back ends agree to the last bit:
/// - Along a row of the kernel, r = fmaf(w, d, r) from r = 0, in the order of x; a masked pixel's d is 0.
/// - Rows are added in the order of y, t = t + r from t = 0.
/// - For a separable kernel, h(x, y) is the chain over along_x, and t = fmaf(along_y, h, t) in the order of y.
/// - The weight of unmasked pixels is the same sum with |w| for w, and 1 or 0 for d.
/// - q = (weight of a window without masked pixels) / (weight here): one division, or 1 if nothing is masked. If the
///   kernel keeps the noise, q is the root of this ratio.
/// - out = sky + t * q, two roundings.
///
/// Throws Error{config} if the kernel is larger than the image.
Image<float, Cpu> convolve(const Image<float, Cpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Cpu>& sky, const Cpu& where);
Image<float, Gpu> convolve(const Image<float, Gpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Gpu>& sky, const Gpu& where);

/// Does convolve() with sky beyond the edges, for a kernel of any size, even larger than the image or than
/// most_kernel_size.
Image<float, Cpu> convolve_by_any(const Image<float, Cpu>& image, const Kernel& kernel,
                                  const Value<Background, Cpu>& sky, const Cpu& where);

/// Throws the Error{config} of convolve() if the kernel is larger than the image.
void check_kernel_fits(const Kernel& kernel, const Shape& shape);

}  // namespace srcextract
