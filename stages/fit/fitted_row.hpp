#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "stages/fit/gaussian.hpp"

namespace srcextract {

/// The measured quantities of a Gaussian or a source, as indices into covariances.
enum FittedValue : std::size_t { of_peak_flux, of_total_flux, of_x, of_y, of_xx, of_xy, of_yy, fitted_values };

/// Covariances of the measured quantities.
using FittedCovariance = std::array<std::array<double, fitted_values>, fitted_values>;

/// Bits of the column FLAG, which tell how a row was made.
namespace fit_flag {
inline constexpr std::int16_t beam_shape = 1;   ///< the fit with a free shape failed, so the shape is that of the beam
inline constexpr std::int16_t dropped = 2;      ///< another Gaussian of the island was fitted and then left out
inline constexpr std::int16_t unconverged = 4;  ///< the rounds ended before the fit did
inline constexpr std::int16_t at_edge = 8;      ///< masked pixels or the edge of the image cut the island
inline constexpr std::int16_t moments = 16;     ///< no fit: values are sums and moments of the island's pixels
inline constexpr std::int16_t left_out = 32;    ///< the island has more summits than fit.max_components
inline constexpr const char* description =
    "1 shape of the beam, 2 a further Gaussian was left out, 4 rounds ended, 8 masked pixels or edge, 16 moments of "
    "the island, 32 more summits than max_components";
}  // namespace fit_flag

/// How many Gaussians a source and its island have. S: one, alone in its island; C: one, with other sources in its
/// island; M: several, or moments without a fit.
enum class SourceCode : std::int16_t { single, companion, multiple };

/// Sums over the pixels of a row's island, above the level that was subtracted, and their noise.
struct IslandFacts {
  double total = 0, total_error = 0;  ///< in pixel values times beams
  double rms = 0;                     ///< noise of a pixel
  double level = 0;                   ///< level that was subtracted
  double residual_rms = 0, residual_mean = 0;
};

/// A Gaussian, or a source made of one or more. Positions are 0-based pixels; spreads are in squared pixels and include
/// the beam. The peak is in pixel values, the total flux in pixel values times beams.
struct ComponentRow {
  std::int32_t island = 0, source = 0;  ///< numbers from 1
  SourceCode code = SourceCode::single;
  std::int16_t flags = 0;
  double peak = 0, total = 0, x = 0, y = 0;
  GaussianShape shape;
  FittedCovariance covariance = {};
  double xmax = 0, ymax = 0;  ///< centre of the brightest Gaussian; without a fit, the brightest pixel
  double xmax_error = 0, ymax_error = 0;
  double chi2 = 0;                      ///< sum of squared residuals over noise^2, per degree of freedom
  std::int32_t rounds = 0, pixels = 0;  ///< of the fit
  /// fraction of the sources with its S/N that are real (stages/fit/reliability.hpp); 1 if not asked for
  double reliability = 1;
  IslandFacts of_island;
};

}  // namespace srcextract
