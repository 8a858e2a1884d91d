#pragma once

#include <vector>

#include "config/kernel_values.hpp"
#include "config/settings/convolve.hpp"

namespace srcextract {

/// A convolution kernel as it lies over the image: weights[j * width + i] multiplies pixel (x + i - width / 2,
/// y + j - height / 2). Both sides are odd, and at most most_kernel_size but of kernel_of_values(). It is turned by 180
/// degrees against the values that the user wrote down, which makes the sum over it a convolution.
struct Kernel {
  int width = 1;
  int height = 1;
  std::vector<float> weights;

  /// Of a kernel that is an outer product, weights = along_y[j] * along_x[i], with none negative; else empty.
  std::vector<float> along_x, along_y;

  bool separable() const { return !along_x.empty(); }
};

/// The kernel that the configuration describes; `config.kernel` is neither `none` nor `file` (io/image/kernel_file.hpp
/// makes `values` of a file). A Gaussian is exp(-r^2 / 2 sigma^2) at the centres of pixels, sigma = fwhm
/// / 2.3548200450309493; a top-hat 1 within its radius; a mexican hat (1 - r^2 / 2 sigma^2) exp(-r^2 / 2 sigma^2).
/// Where `size` is 0 a Gaussian reaches to 4 sigma and a mexican hat to 5 sigma, rounded up, and a top-hat to its
/// radius. If `normalize`, the values are divided by the sum of their magnitudes (SExtractor's CONV NORM). Values are
/// computed in double, with no function that libm rounds freely, and rounded once to float.
///
/// A kernel without a negative value is separable if each is the product of its parts but for their rounding: to within
/// 2^-22 of itself, or 2^-60 of the largest. A Gaussian is.
/// Throws Error{config} if kernel_problem() finds one, or a shape of no given size reaches further than a kernel can.
Kernel make_kernel(const ConvolveConfig& config);

/// The kernel of rows of values in which kernel_problem() finds nothing, whatever most_size it was asked about.
Kernel kernel_of_values(std::vector<std::vector<double>> rows, bool normalize);

/// The kernel whose values are the squares of these.
Kernel squared(Kernel kernel);

/// The kernel by which stars of width `from` become as wide as those of `to` (FWHM in pixels, to > from): a normalised
/// Gaussian whose values have the variance of one of FWHM sqrt(to^2 - from^2), however much narrower than a pixel that
/// is.
Kernel make_matching_kernel(double from, double to);

}  // namespace srcextract
