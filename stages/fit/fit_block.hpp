#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/noise_correlation.hpp"
#include "stages/fit/normal_equations.hpp"

namespace srcextract {

/// A Gaussian that is fitted: its parameters at the start of the fit, and now.
struct Fitted {
  Gaussian start, now;     ///< the peaks are in units of FitIsland::noise()
  bool free_shape = true;  ///< whether the shape is fitted, too
  bool reliable = true;    ///< false if the map lacks most of the peak at the centre
  std::int16_t flags = 0;  ///< bits of fit_flag
  /// integral() of the fit with a free shape, if its centre was on a masked pixel; else 0.
  double free_integral = 0;

  std::size_t parameters() const { return free_shape ? 6 : 3; }
  /// The integral of the Gaussian, divided by 2 pi.
  double integral() const { return now.peak * now.extent(); }
};

/// Limits of the parameters of a fit. A trial step beyond a limit is rejected.
struct FitLimits {
  double narrowest = 0;  ///< least variance along the minor axis, in squared pixels
  double widest = 0;     ///< largest variance along the major axis, in squared pixels
  /// Largest distance of a centre from its start along x or y, in pixels. If half of the start's full width at half
  /// maximum is larger, half of the width is the limit.
  double farthest = 0;
  std::int64_t rounds = 40;
};

/// The normal equations of a fit, which are sums over pixels, and the sum of squared residuals.
struct FitSums {
  SymmetricMatrix normal;
  std::vector<double> right;
  double chi2 = 0;
};

/// Fits several Gaussians together to pixels by least squares with equal weights (Levenberg 1944, Marquardt 1963). Sums
/// add pixels in their given order, so results are reproducible to the last bit.
class BlockFit {
 public:
  explicit BlockFit(const FitLimits& limits) : limits_(limits) {}

  /// Fits the Gaussians `of`, starting from Fitted::now. Returns the number of trial steps if the fit converged, else
  /// limits.rounds.
  std::int64_t fit(const FitPixels& pixels, std::vector<Fitted>& of);

  /// The sum of squared residuals, in units of FitIsland::noise() squared. May be called only after fit() or
  /// find_covariance().
  double chi2() const { return sums_.chi2; }

  /// Computes the covariance of the parameters of all Gaussians. pixels.noise must be set. The parameters of a Gaussian
  /// are, in this order: peak, x, y, and if the shape is free ln l11, l21, ln l22. The covariance is N^-1 J'C J N^-1,
  /// where J are the derivatives of the model, N = J'J, and C is the covariance of the pixels' noise. This form (the
  /// sandwich estimate; White 1980) is necessary since the fit has equal weights, but the noise of neighbouring pixels
  /// is correlated. Returns false if the equations are singular.
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
  std::vector<double> derivative_;              ///< derivatives of the model at one pixel by the parameters in active_
  std::vector<std::size_t> active_;             ///< indices of the parameters whose derivative is not 0 at this pixel
};

/// Adds J'C J to `sums`, where C is the correlation of the noise. The pixels (x, y) must be in raster order. `j` has
/// the matrix J, `columns` elements per pixel, which must already be multiplied by the pixel's noise.
void add_correlated(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                    const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation,
                    SymmetricMatrix& sums);

}  // namespace srcextract
