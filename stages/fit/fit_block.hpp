#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/noise_correlation.hpp"
#include "stages/fit/normal_equations.hpp"

namespace srcextract {

/// A Gaussian that is fitted.
struct Fitted {
  Gaussian start, now;     ///< peaks in units of the island's noise
  bool free_shape = true;  ///< false: the shape stays
  std::int16_t flags = 0;  ///< fit_flag

  std::size_t parameters() const { return free_shape ? 6 : 3; }
};

/// Limits of a fit. A trial step beyond them is refused.
struct FitLimits {
  double narrowest = 0;  ///< of the variance along the minor axis
  double widest = 0;     ///< of the variance along the major axis
  double farthest = 0;   ///< a centre may move this far from its start, in pixels; or half of its full width there
  std::int64_t rounds = 40;
};

/// Sums over pixels: the matrix and the right side of the normal equations, and the sum of squared residuals.
struct FitSums {
  SymmetricMatrix normal;
  std::vector<double> right;
  double chi2 = 0;
};

/// Fits Gaussians together to these pixels by least squares with equal weights (Levenberg 1944, Marquardt 1963). All
/// sums are over the pixels in order. Results do not depend on anything else.
class BlockFit {
 public:
  explicit BlockFit(const FitLimits& limits) : limits_(limits) {}

  /// Fits `of` from its present state. Returns the number of trial steps; less than limits.rounds if it converged.
  std::int64_t fit(const FitPixels& pixels, std::vector<Fitted>& of);

  /// After fit() or find_covariance(): the sum of squared residuals in units of the noise.
  double chi2() const { return sums_.chi2; }

  /// The covariance of the parameters of all Gaussians, in order: peak, x, y, and for free shapes ln l11, l21, ln l22.
  /// For derivatives J, noise of covariance C and normal equations N = J'J it is N^-1 J'C J N^-1: equal weights, but
  /// the noise of neighbours is common (the sandwich estimate; White 1980). False: the equations are singular.
  bool find_covariance(const FitPixels& pixels, const std::vector<Fitted>& of, const NoiseCorrelation& correlation,
                       SymmetricMatrix& covariance);

 private:
  void add_up(const FitPixels& pixels, const std::vector<Fitted>& of, FitSums& sums);
  bool step(const std::vector<Fitted>& from, double damping, std::vector<Fitted>& to);
  bool is_allowed(const Fitted& one) const;
  void prepare(const std::vector<Fitted>& of);
  std::size_t derive(const FitPixels& pixels, std::size_t i, const std::vector<Fitted>& of, double& model);

  FitLimits limits_;
  FitSums sums_, trial_;
  std::vector<Fitted> moved_;
  SymmetricMatrix damped_;
  std::vector<double> step_;
  std::vector<std::array<double, 2>> inverse_;  ///< 1 / l11 and 1 / l22 of each Gaussian
  std::vector<double> derivative_;              ///< of a pixel, by parameter
  std::vector<std::size_t> active_;             ///< parameters whose derivative is not 0 there
};

/// Sums of J'C J for derivatives `j` (`columns` a pixel) and the correlated noise of pixels in raster order. J must
/// have the pixels' noise as a factor.
void add_correlated(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                    const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation,
                    SymmetricMatrix& sums);

}  // namespace srcextract
