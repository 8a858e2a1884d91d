#pragma once

#include "config/settings/convolve.hpp"
#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Convolves an image with a kernel, about the sky: with d = v - sky (float, one rounding; sky = the clipped median as
/// float),
///   out = sky + sum of weight * d,
/// so that the level of the sky stays what it is, whatever the kernel's sum, and `zero` beyond the edges means sky, as
/// in SExtractor, which subtracts the background first. With a background of 0 it is
/// scipy.signal.convolve2d(mode="same") with boundary fill, and scipy.ndimage.convolve with nearest and reflect.
///
/// Masked pixels take no part: the sum is multiplied by the sum of |weight| over that of those whose pixels are not
/// masked. What is beyond the edge is never masked with `zero`. A masked pixel stays masked; a pixel becomes so where
/// no weight is left, or where the result is beyond the range of float.
///
/// How it is rounded (all of it float, so both back ends agree to the last bit): along a row of the kernel
/// r = fmaf(w, d, r) from r = 0, in the order of x; a masked pixel's d is 0. Rows are added up in the order of y,
/// t = t + r from t = 0. For a separable kernel h(x, y) = the chain over along_x, and t = fmaf(along_y, h, t) in the
/// order of y. The weight of what is not masked is the same sum with |w| for w, and 1 or 0 for d; q is what it is where
/// nothing is masked over its value here, one division, and out = sky + t * q, two roundings (q = 1 where nothing is
/// masked).
///
/// Throws Error{config} if the kernel is larger than the image.
Image<float, Cpu> convolve(const Image<float, Cpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Cpu>& sky, const Cpu& where);
Image<float, Gpu> convolve(const Image<float, Gpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Gpu>& sky, const Gpu& where);

/// convolve() with sky beyond the edges, of a kernel of any size: also one larger than the image, or than
/// most_kernel_size.
Image<float, Cpu> convolve_by_any(const Image<float, Cpu>& image, const Kernel& kernel,
                                  const Value<Background, Cpu>& sky, const Cpu& where);

/// Throws the Error{config} of convolve().
void check_kernel_fits(const Kernel& kernel, const Shape& shape);

}  // namespace srcextract
