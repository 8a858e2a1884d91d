#pragma once

#include <limits>
#include <vector>

namespace srcextract {

/// A flux measured at a frequency, with its errors.
struct FluxAt {
  double frequency = 0, flux = 0;
  double error = 0;   ///< independent of that of other fluxes
  double common = 0;  ///< error common to all fluxes: all would change by this together
};

/// A power law S = flux (f / frequency)^(index + curvature ln(f / frequency)), with standard errors. NaN: unknown.
struct Spectrum {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double frequency = unknown;  ///< weighted geometric mean of the frequencies
  double flux = unknown, flux_error = unknown;
  double index = unknown, index_error = unknown;
  /// set if there are at least four fluxes and it lowers chi2 by more than 9
  double curvature = unknown, curvature_error = unknown;
};

/// Fits a power law to fluxes by Gauss-Newton. It fits fluxes, not logarithms, so that negative fluxes can be used.
/// Fluxes without error or frequency are left out. If fewer than two remain, all results are NaN.
Spectrum fit_spectrum(std::vector<FluxAt> fluxes);

/// Polarisation derived from the fluxes in Stokes I, Q, U, V; NaN: unknown.
struct Polarisation {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double linear = unknown, linear_error = unknown;  ///< sqrt(Q^2 + U^2), without the bias of noise
  double linear_limit = unknown;                    ///< three standard errors, if P is below this; else NaN
  double fraction = unknown, fraction_error = unknown;
  double angle = unknown, angle_error = unknown;  ///< in degrees from north through east, within [0, 180)
  double circular_fraction = unknown, circular_fraction_error = unknown;
};

/// A flux with its error.
struct MeasuredFlux {
  double flux = Spectrum::unknown, error = Spectrum::unknown;
};

/// Linear and circular polarisation. The noise bias of P = sqrt(Q^2 + U^2) is removed as sqrt(P^2 - sigma^2) (Wardle &
/// Kronberg 1974, ApJ 194, 249); the result is 0 if P is less than its error sigma.
Polarisation polarisation_of(const MeasuredFlux& i, const MeasuredFlux& q, const MeasuredFlux& u,
                             const MeasuredFlux& v);

}  // namespace srcextract
