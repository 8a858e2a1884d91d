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
  bool free_shape = true;  ///< false: the shape is not fitted
  std::int16_t flags = 0;  ///< fit_flag

  std::size_t parameters() const { return free_shape ? 6 : 3; }
};

/// Limits of the parameters of a fit. A trial step beyond a limit is refused.
struct FitLimits {
  double narrowest = 0;  ///< of the variance along the minor axis
  double widest = 0;     ///< of the variance along the major axis
  double farthest = 0;   ///< how far a centre may move from its start, in pixels, or half its full width if larger
  std::int64_t rounds = 40;
};

/// Sums over pixels: the matrix and right side of the normal equations, and the sum of squared residuals.
struct FitSums {
  SymmetricMatrix normal;
  std::vector<double> right;
  double chi2 = 0;
};

/// Fits several Gaussians together to pixels by least squares with equal weights (Levenberg 1944, Marquardt 1963). All
/// sums are over the pixels in their order, so results depend on nothing else.
class BlockFit {
 public:
  explicit BlockFit(const FitLimits& limits) : limits_(limits) {}

  /// Fits the Gaussians `of`, starting from their present parameters. Returns the number of trial steps if the fit
  /// converged, else limits.rounds.
  std::int64_t fit(const FitPixels& pixels, std::vector<Fitted>& of);

  /// The sum of squared residuals in units of the noise^2, after fit() or find_covariance().
  double chi2() const { return sums_.chi2; }

  /// Computes the covariance of the parameters of all Gaussians; pixels.noise must be set. The parameters are, in
  /// order: peak, x, y, and for free shapes ln l11, l21, ln l22. With derivatives J, noise covariance C and normal
  /// equations N = J'J the covariance is N^-1 J'C J N^-1. The fit has equal weights, but the noise of neighbouring
  /// pixels is correlated (the sandwich estimate; White 1980). Returns false if the equations are singular.
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

/// Adds J'C J to `sums`, for derivatives `j` (`columns` per pixel) and the correlation C of the noise of pixels, which
/// are in raster order. Each row of J must already be multiplied by its pixel's noise.
void add_correlated(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                    const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation,
                    SymmetricMatrix& sums);

}  // namespace srcextract
