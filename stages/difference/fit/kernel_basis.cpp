#include "stages/difference/fit/kernel_basis.hpp"

#include <algorithm>
#include <cmath>

#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

struct Gaussian {
  double sigma;  ///< in pixels; make_kernel_basis() multiplies large sigmas for wide kernels
  int degree;    ///< highest degree of the polynomials by which the Gaussian is multiplied
};
constexpr Gaussian gaussians[] = {{0.7, 6}, {1.5, 4}, {3.0, 2}};

/// Returns (u / sigma)^power exp(-u^2 / (2 sigma^2)) for u from -half to half.
std::vector<double> factor(int half, double sigma, int power) {
  std::vector<double> values;
  for (int u = -half; u <= half; ++u) {
    const double t = u / sigma;
    double value = portable_exp(-t * t / 2);
    for (int k = 0; k < power; ++k) value *= t;
    values.push_back(value);
  }
  return values;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

double square_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// Appends to the basis the functions of one Gaussian with polynomials up to `degree`, and their factors.
void add_functions(KernelBasis& basis, double sigma, int degree) {
  const int first = static_cast<int>(basis.factors.size());
  for (int power = 0; power <= degree; ++power) basis.factors.push_back(factor(basis.half, sigma, power));
  for (int p = 0; p <= degree; ++p) {
    for (int q = 0; q <= degree - p; ++q) {
      const std::vector<double>&x = basis.factors[first + p], &y = basis.factors[first + q];
      const bool has_sum = p % 2 == 0 && q % 2 == 0;
      const double norm = has_sum ? sum_of(x) * sum_of(y) : std::sqrt(square_of(x) * square_of(y));
      basis.functions.push_back({first + p, first + q, norm, has_sum});
    }
  }
}

void add_gaussians(KernelBasis& basis) {
  for (const Gaussian& gaussian : gaussians) {
    const double sigma =
        gaussian.sigma == gaussians[0].sigma ? gaussian.sigma : gaussian.sigma * std::max(1.0, basis.half / 10.0);
    add_functions(basis, sigma, gaussian.degree);
  }
}

void add_pixels(KernelBasis& basis) {
  const int width = basis.width(), middle = basis.half;
  for (int at = 0; at < width; ++at) {
    basis.factors.emplace_back(static_cast<std::size_t>(width), 0);
    basis.factors.back()[static_cast<std::size_t>(at)] = 1;
  }
  basis.functions.push_back({middle, middle, 1, true});
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < width; ++x)
      if (x != middle || y != middle) basis.functions.push_back({x, y, 1, true});
}

}  // namespace

KernelBasis make_kernel_basis(int half, Basis kind) {
  KernelBasis basis{.half = half, .factors = {}, .functions = {}, .values = {}};
  kind == Basis::delta ? add_pixels(basis) : add_gaussians(basis);
  const int width = basis.width();
  for (const BasisFunction& function : basis.functions) {
    for (int tap = 0; tap < basis.taps(); ++tap) {
      const double value = basis.factors[function.along_x][tap % width] * basis.factors[function.along_y][tap / width];
      const bool is_first = &function == basis.functions.data();
      basis.values.push_back(value / function.norm - (function.has_sum && !is_first ? basis.values[tap] : 0));
    }
  }
  return basis;
}

}  // namespace srcextract
