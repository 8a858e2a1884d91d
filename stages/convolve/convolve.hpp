#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/convolve.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Convolves the difference of an image and its sky level with a kernel. `sky` is the clipped median, rounded to float.
/// With d = v - sky, rounded once to float, the result is sky + sum of weight * d. The sky level therefore stays the
/// same for any sum of weights, and Edges::zero means sky beyond the edges. SExtractor achieves the same by subtracting
/// the background first. With a background of 0, the result equals scipy.signal.convolve2d(mode="same") for
/// Edges::zero, and scipy.ndimage.convolve for the other Edges.
///
/// Masked pixels are left out, and the sum is multiplied by (sum of all |weight|) / (sum of |weight| over unmasked
/// pixels). With Edges::zero, pixels beyond the edge count as unmasked. A masked pixel stays masked. A pixel becomes
/// masked if all pixels under non-zero weights of the kernel are masked, or if the result exceeds the range of a float.
///
/// All operations are rounded to float in a fixed order, so host and device agree to the last bit:
/// - Along a row of the kernel, r = fmaf(w, d, r) from r = 0, in the order of x; d of a masked pixel is 0.
/// - Rows are added in the order of y, t = t + r from t = 0.
/// - For a separable kernel, h(x, y) is the sum along x with the weights along_x, and t = fmaf(along_y, h, t) in the
///   order of y.
/// - The weight of unmasked pixels is the same sum with |w| instead of w, and with 1 (unmasked) or 0 instead of d.
/// - q = (weight if no pixel were masked) / (weight here), one division; 1 if no pixel is masked. If kernel.keeps_noise
///   is true, q is the square root of this ratio.
/// - out = sky + t * q, two roundings.
///
/// Throws Error{config} if the kernel is larger than the image.
Image<float, Cpu> convolve(const Image<float, Cpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Cpu>& sky, const Cpu& where);
Image<float, Gpu> convolve(const Image<float, Gpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Gpu>& sky, const Gpu& where);

/// Does what convolve() does with Edges::zero, but accepts kernels of any size, even larger than the image or than
/// most_kernel_size.
Image<float, Cpu> convolve_by_any(const Image<float, Cpu>& image, const Kernel& kernel,
                                  const Value<Background, Cpu>& sky, const Cpu& where);

/// Throws Error{config} if the kernel is larger than the image.
void check_kernel_fits(const Kernel& kernel, const Shape& shape);

}  // namespace srcextract
