#pragma once

#include <limits>
#include <vector>

namespace srcextract {

/// A flux measured at a frequency, with its standard errors.
struct FluxAt {
  double frequency = 0, flux = 0;
  double error = 0;  ///< error that is independent of the errors of other fluxes
  /// Error that is fully correlated between all fluxes: if one is too high by its `common`, all are.
  double common = 0;
};

/// A power law S = flux (f / frequency)^(index + curvature ln(f / frequency)), with standard errors. Unknown values are
/// NaN.
struct Spectrum {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double frequency = unknown;  ///< geometric mean of the frequencies, weighted by 1 / error^2 of the fluxes
  double flux = unknown, flux_error = unknown;
  double index = unknown, index_error = unknown;
  /// Known only if there are at least four fluxes and the curvature lowers chi^2 by more than 9; else the law has no
  /// curvature.
  double curvature = unknown, curvature_error = unknown;
};

/// Fits a power law to fluxes by the Gauss-Newton method. Fluxes are fitted, not their logarithms, so that negative
/// fluxes can be used. Fluxes that are not finite, or have no positive error or frequency, are left out. If fewer than
/// two fluxes remain, or the fit fails, all results are NaN.
Spectrum fit_spectrum(std::vector<FluxAt> fluxes);

/// Polarisation computed from the fluxes in Stokes I, Q, U and V. Unknown values are NaN.
struct Polarisation {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double linear = unknown, linear_error = unknown;  ///< P = sqrt(Q^2 + U^2), corrected for the bias by noise
  /// Three standard errors, if sqrt(Q^2 + U^2) is below three standard errors; else NaN.
  double linear_limit = unknown;
  double fraction = unknown, fraction_error = unknown;
  /// Polarisation angle in degrees from north through east, in [0, 180).
  double angle = unknown, angle_error = unknown;
  double circular_fraction = unknown, circular_fraction_error = unknown;
};

struct MeasuredFlux {
  double flux = Spectrum::unknown, error = Spectrum::unknown;
};

/// Computes linear and circular polarisation. Noise makes P = sqrt(Q^2 + U^2) too large on average; the corrected value
/// is sqrt(P^2 - sigma^2) with the error sigma of P, or 0 if P is below sigma (Wardle & Kronberg 1974, ApJ 194, 249).
Polarisation polarisation_of(const MeasuredFlux& i, const MeasuredFlux& q, const MeasuredFlux& u,
                             const MeasuredFlux& v);

}  // namespace srcextract
