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

  /// The factors of a kernel without negative weights that is an outer product, weights = along_y[j] * along_x[i]; else
  /// empty.
  std::vector<float> along_x, along_y;

  /// How convolve() makes up for masked pixels: so that the noise stays, or so that the light of a smooth image does.
  bool keeps_noise = false;

  bool separable() const { return !along_x.empty(); }
};

/// The kernel of the configuration. `config.kernel` is neither `none` nor `file` (io/image/kernel_file.hpp turns a file
/// into `values`). Shapes, with r from the centre to the centres of pixels:
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

/// The kernel of rows of values that pass kernel_problem() for any most_size.
Kernel kernel_of_values(std::vector<std::vector<double>> rows, bool normalize);

/// The square kernel of weights as they lie over the image, row by row, divided by the sum of their magnitudes. It
/// keeps the noise beside masked pixels.
Kernel kernel_of_weights(const std::vector<float>& weights);

/// A kernel of the squared values.
Kernel squared(Kernel kernel);

/// The kernel that widens stars of FWHM `from` to FWHM `to` (in pixels, to > from). The kernel is a normalised Gaussian
/// whose samples have the variance of a Gaussian of FWHM sqrt(to^2 - from^2), however narrow that is.
Kernel make_matching_kernel(double from, double to);

}  // namespace srcextract
