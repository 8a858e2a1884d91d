#pragma once

#include <vector>

#include "stages/math/kernel_values.hpp"
#include "stages/settings/convolve.hpp"

namespace srcextract {

/// A convolution kernel as it lies over the image: weights[j * width + i] multiplies pixel (x + i - width / 2, y + j -
/// height / 2). Both sides are odd and at most most_kernel_size (larger only from kernel_of_values()). The user's
/// values are turned by 180 degrees, which makes the sum a convolution.
struct Kernel {
  int width = 1;
  int height = 1;
  std::vector<float> weights;

  /// The factors of a kernel that has no negative weights and is an outer product: weights = along_y[j] * along_x[i].
  /// Empty for other kernels.
  std::vector<float> along_x, along_y;

  /// How convolve() makes up for masked pixels: true: so that the noise stays the same; false: so that the light of a
  /// smooth image does.
  bool keeps_noise = false;

  bool separable() const { return !along_x.empty(); }
};

/// Makes the kernel that the configuration describes. `config.kernel` must be neither `none` nor `file`
/// (io/image/kernel_file.hpp turns a file into `values`). Shapes, with r from the centre to the centres of pixels:
/// - Gaussian: exp(-r^2 / 2 sigma^2), sigma = fwhm / 2.3548200450309493;
/// - top-hat: 1 within its radius;
/// - mexican hat: (1 - r^2 / 2 sigma^2) exp(-r^2 / 2 sigma^2).
///
/// If `size` is 0, a Gaussian reaches to 4 sigma and a mexican hat to 5 sigma, rounded up, and a top-hat to its radius.
/// If `normalize`, the values are divided by the sum of their magnitudes (SExtractor's CONV NORM). Values are computed
/// in double, without functions that libm rounds freely, and rounded once to float.
///
/// A kernel without negative values is separable if each value is the product of its factors within rounding: 2^-22 of
/// itself, or 2^-60 of the largest value. A Gaussian is separable. Throws Error{config} if kernel_problem() finds a
/// problem, or if a shape without a size reaches further than a kernel can.
Kernel make_kernel(const ConvolveConfig& config);

/// Makes a kernel from rows of values, which must pass kernel_problem() for any most_size.
Kernel kernel_of_values(std::vector<std::vector<double>> rows, bool normalize);

/// Makes a square kernel from weights as they lie over the image, row by row, divided by the sum of their magnitudes.
/// The kernel keeps the noise beside masked pixels (keeps_noise).
Kernel kernel_of_weights(const std::vector<float>& weights);

/// A kernel of the squared values.
Kernel squared(Kernel kernel);

/// Makes the kernel that widens stars of FWHM `from` to FWHM `to` (in pixels, to > from). It is a normalised Gaussian
/// whose samples have the variance of a Gaussian of FWHM sqrt(to^2 - from^2), however narrow that is.
Kernel make_matching_kernel(double from, double to);

}  // namespace srcextract
