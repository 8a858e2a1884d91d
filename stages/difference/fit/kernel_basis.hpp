#pragma once

#include <vector>

#include "stages/settings/difference.hpp"

namespace srcextract {

/// The largest half width of a fitted kernel, in pixels.
inline constexpr int most_kernel_half = 17;
/// The half width of a kernel in FWHM of the stars that it makes.
inline constexpr double kernel_half_per_fwhm = 2.5;

/// The largest half width of a kernel of delta functions: a wider one has more unknowns than stars tell.
inline constexpr int most_delta_half = 6;

/// One function of the basis, as a product of two factors: x^p y^q exp(-(x^2 + y^2) / 2 sigma^2), or 1 in one pixel.
struct BasisFunction {
  int along_x, along_y;  ///< factors
  double norm;           ///< divides the product: its sum or, if that is 0, the root of its sum of squares
  bool has_sum;          ///< false: the sum is 0, so the first function is not subtracted
};

/// The basis of the kernel: Gaussians times polynomials (Alard & Lupton 1998, ApJ 503, 325, section 2), or pixels. The
/// first function has the sum 1. All others have the sum 0 (Alard 2000, A&AS 144, 363): those with a sum are
/// normalised, and the first is subtracted. So the sum of a kernel is the coefficient of its first function alone, and
/// the scale of the flux may change over the field on its own.
struct KernelBasis {
  int half = 0;                              ///< functions are 2 half + 1 pixels wide
  std::vector<std::vector<double>> factors;  ///< values at -half ... half
  std::vector<BasisFunction> functions;
  std::vector<double> values;  ///< of each function, row by row

  int width() const { return 2 * half + 1; }
  int taps() const { return width() * width(); }
  int size() const { return static_cast<int>(functions.size()); }
};

/// - gaussians: three of degree 6, 4 and 2 (49 functions). For a half width of 10, their sigmas are 0.7, 1.5 and 3
///   pixels; wider kernels have wider ones, but a narrower one than 0.7 would ring.
/// - delta: a function for each pixel of the kernel (Miller et al. 2008, PASP 120, 449), of which the first is in the
///   middle. `half` is at most most_delta_half.
KernelBasis make_kernel_basis(int half, Basis kind = Basis::gaussians);

}  // namespace srcextract
