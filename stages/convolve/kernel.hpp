#pragma once

#include <vector>

#include "stages/math/kernel_values.hpp"
#include "stages/settings/convolve.hpp"

namespace srcextract {

/// A convolution kernel. For the result at pixel (x, y), weights[j * width + i] multiplies pixel (x + i - width / 2, y
/// + j - height / 2). The user's kernel values are rotated by 180 degrees to become these weights, so that the sum is a
/// convolution. Width and height are odd and at most most_kernel_size; only kernel_of_values() and kernel_of_weights()
/// make larger kernels.
struct Kernel {
  int width = 1;
  int height = 1;
  std::vector<float> weights = {};

  /// The factors of a kernel without negative weights that is an outer product: weights = along_y[j] * along_x[i].
  /// Empty for other kernels.
  std::vector<float> along_x = {}, along_y = {};

  /// How convolve() compensates for masked pixels. True: the noise of the result stays the same. False: the level of a
  /// smooth image stays the same.
  bool keeps_noise = false;

  bool separable() const { return !along_x.empty(); }
};

/// Makes the kernel that the configuration describes. Throws Error{internal} if config.kernel is `none` or `file`
/// (kernel_file.hpp in io/image converts a file to `values`). r is the distance of a pixel's centre from the kernel's
/// centre:
/// - Gaussian: exp(-r^2 / 2 sigma^2), where sigma = fwhm / 2.3548200450309493 if config.fwhm is above 0, else
///   config.sigma;
/// - top-hat: 1 up to the radius, 0 beyond;
/// - Mexican hat: (1 - r^2 / 2 sigma^2) exp(-r^2 / 2 sigma^2), with the same sigma.
///
/// If config.size is 0, a Gaussian extends to 4 sigma and a Mexican hat to 5 sigma, rounded up to pixels, and a top-hat
/// to its radius. If config.normalize is true, the values are divided by the sum of their absolute values (SExtractor's
/// CONV NORM). Values are computed in double, without library functions whose rounding differs between systems, and
/// rounded once to float.
///
/// A kernel without negative values is separable if each value equals the product of its factors within 2^-22 of the
/// value plus 2^-60 of the largest value. A Gaussian is separable. Throws Error{config} if kernel_problem() finds a
/// problem, or if a kernel whose size is 0 would exceed most_kernel_size.
Kernel make_kernel(const ConvolveConfig& config);

/// Makes a kernel from rows of values. kernel_problem() must find no problem in the values, except that the size limit
/// does not apply.
Kernel kernel_of_values(std::vector<std::vector<double>> rows, bool normalize);

/// Makes a square kernel from weights that need no rotation, given row by row. Divides the weights by the sum of their
/// absolute values. Sets keeps_noise.
Kernel kernel_of_weights(const std::vector<float>& weights);

Kernel squared(Kernel kernel);

/// The sigma that a convolution makes of independent pixels of sigma 1: the root of the sum of the squared weights.
double white_noise_of(const Kernel& kernel);

/// Makes the kernel that widens stars from FWHM `from` to FWHM `to`, in pixels, to > from. The kernel is a normalised
/// Gaussian. The samples of the kernel have the variance of a Gaussian of FWHM sqrt(to^2 - from^2), even if this is
/// much less than a pixel.
Kernel make_matching_kernel(double from, double to);

}  // namespace srcextract
