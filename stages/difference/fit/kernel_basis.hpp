#pragma once

#include <vector>

#include "stages/settings/difference.hpp"

namespace srcextract {

/// The largest half width of a fitted kernel, in pixels.
inline constexpr int most_kernel_half = 17;
/// Half width of a kernel divided by the full width at half maximum (FWHM) of the stars after the convolution.
inline constexpr double kernel_half_per_fwhm = 2.5;

/// The largest half width, in pixels, of a kernel of delta functions. A wider kernel would have more unknowns than the
/// stars determine.
inline constexpr int most_delta_half = 6;

/// One function of the kernel's basis, as a product of a factor in x and a factor in y: x^p y^q exp(-(x^2 + y^2) / (2
/// sigma^2)); or 1 in one pixel, and 0 in the others.
struct BasisFunction {
  int along_x, along_y;  ///< indices of the factors in KernelBasis::factors
  /// The product of the factors is divided by `norm`: the sum of the product over all pixels or, if the sum is 0, the
  /// square root of the sum of its squares.
  double norm;
  bool has_sum;  ///< whether the product's sum over all pixels is not 0, so that the first function must be subtracted
};

/// The basis functions of the kernel: Gaussians times polynomials (Alard & Lupton 1998, ApJ 503, 325, section 2), or
/// single pixels. The first function has the sum 1 and all others the sum 0 (Alard 2000, A&AS 144, 363). To get the sum
/// 0, a function is divided by its sum, and the first function is subtracted. The sum of a kernel is therefore the
/// coefficient of the first function. The ratio of the frames' fluxes can thus vary over the field independently of the
/// kernel's shape.
struct KernelBasis {
  int half = 0;                              ///< functions are 2 half + 1 pixels wide
  std::vector<std::vector<double>> factors;  ///< each has the values at the positions -half to half
  std::vector<BasisFunction> functions;
  std::vector<double> values;  ///< values of the functions, one function after another, row by row

  int width() const { return 2 * half + 1; }
  int taps() const { return width() * width(); }
  int size() const { return static_cast<int>(functions.size()); }
};

/// Makes the basis of a kernel with the half width `half`:
/// - gaussians: three Gaussians times polynomials of degree up to 6, 4 and 2 (49 functions). The sigmas are 0.7, 1.5
///   and 3 pixels; narrower Gaussians would let the kernel oscillate. If `half` is above 10, the last two sigmas are
///   multiplied by half / 10.
/// - delta: a function for each pixel of the kernel (Miller et al. 2008, PASP 120, 449), the middle pixel first. `half`
///   must be at most most_delta_half.
KernelBasis make_kernel_basis(int half, Basis kind = Basis::gaussians);

}  // namespace srcextract
