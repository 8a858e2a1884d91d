#pragma once

#include <vector>

#include "stages/settings/difference.hpp"

namespace srcextract {

/// The largest half width of a fitted kernel, in pixels.
inline constexpr int most_kernel_half = 17;
/// Half width of a kernel, in FWHM of the stars in the frame that it makes.
inline constexpr double kernel_half_per_fwhm = 2.5;

/// The largest half width of a kernel of delta functions. A wider kernel has more unknowns than the stars can fix.
inline constexpr int most_delta_half = 6;

/// One function of the kernel's basis, as a product of a factor in x and one in y: x^p y^q exp(-(x^2 + y^2) / 2
/// sigma^2), or 1 in one pixel.
struct BasisFunction {
  int along_x, along_y;  ///< indices of the factors in KernelBasis::factors
  double norm;           ///< the product is divided by it: its sum or, if 0, the root of its sum of squares
  bool has_sum;          ///< false: the sum is 0, so the first function need not be subtracted
};

/// The basis of the kernel: Gaussians times polynomials (Alard & Lupton 1998, ApJ 503, 325, section 2), or pixels. The
/// first function has the sum 1, all others the sum 0 (Alard 2000, A&AS 144, 363): a function with another sum is
/// normalised, and the first function is subtracted from it. So the sum of a kernel is the coefficient of its first
/// function. The scale of the flux may then vary over the field independently of the kernel's shape.
struct KernelBasis {
  int half = 0;                              ///< functions are 2 half + 1 pixels wide
  std::vector<std::vector<double>> factors;  ///< values at -half ... half
  std::vector<BasisFunction> functions;
  std::vector<double> values;  ///< of each function, row by row

  int width() const { return 2 * half + 1; }
  int taps() const { return width() * width(); }
  int size() const { return static_cast<int>(functions.size()); }
};

/// - gaussians: three Gaussians times polynomials of degree up to 6, 4 and 2 (49 functions). Their sigmas are 0.7, 1.5
///   and 3 pixels; a narrower Gaussian would ring. If `half` is above 10, the last two sigmas grow by the factor half /
///   10.
/// - delta: a function for each pixel of the kernel (Miller et al. 2008, PASP 120, 449), the middle pixel first. `half`
///   is at most most_delta_half.
KernelBasis make_kernel_basis(int half, Basis kind = Basis::gaussians);

}  // namespace srcextract
