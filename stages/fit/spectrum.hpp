#pragma once

#include <limits>
#include <vector>

namespace srcextract {

/// A flux at a frequency, with its error.
struct FluxAt {
  double frequency = 0, flux = 0;
  double error = 0;   ///< independent of that of other fluxes
  double common = 0;  ///< of a cause that moves all fluxes together, by so many of these errors
};

/// A power law S = flux (f / frequency)^(index + curvature ln(f / frequency)), with standard errors. NaN: not known.
struct Spectrum {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double frequency = unknown;  ///< weighted mean of those measured
  double flux = unknown, flux_error = unknown;
  double index = unknown, index_error = unknown;
  double curvature = unknown, curvature_error = unknown;  ///< if at least four fluxes ask for it: chi2 falls by 9
};

/// Fits a power law to fluxes, not to their logarithms, so that negative ones count (Gauss-Newton). Fluxes without
/// error or frequency are left out; it takes two that remain.
Spectrum fit_spectrum(std::vector<FluxAt> fluxes);

/// Polarised fluxes and what follows from them; NaN: not known.
struct Polarisation {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double linear = unknown, linear_error = unknown;  ///< sqrt(Q^2 + U^2), without the bias of noise
  double linear_limit = unknown;                    ///< three standard errors, where it is not above them
  double fraction = unknown, fraction_error = unknown;
  double angle = unknown, angle_error = unknown;  ///< in degrees from north through east, within [0, 180)
  double circular_fraction = unknown, circular_fraction_error = unknown;
};

/// A flux with its error.
struct MeasuredFlux {
  double flux = Spectrum::unknown, error = Spectrum::unknown;
};

/// Linear and circular polarisation. The bias of noise is taken off as sqrt(P^2 - sigma^2) (Wardle & Kronberg 1974, ApJ
/// 194, 249), and 0 where P is less than its error.
Polarisation polarisation_of(const MeasuredFlux& i, const MeasuredFlux& q, const MeasuredFlux& u,
                             const MeasuredFlux& v);

}  // namespace srcextract
