#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "stages/fit/gaussian.hpp"

namespace srcextract {

/// The measured quantities of a Gaussian or a source. The values are the indices of rows and columns in
/// FittedCovariance. xx, xy and yy are the elements of ComponentRow::shape.
enum FittedValue : std::size_t { of_peak_flux, of_total_flux, of_x, of_y, of_xx, of_xy, of_yy, fitted_values };

/// Covariances of the errors of the measured quantities.
using FittedCovariance = std::array<std::array<double, fitted_values>, fitted_values>;

/// Bits of the catalog column FLAG.
namespace fit_flag {
inline constexpr std::int16_t beam_shape = 1;   ///< the fit with a free shape failed, so the shape is that of the beam
inline constexpr std::int16_t dropped = 2;      ///< another Gaussian of the island was fitted and then left out
inline constexpr std::int16_t unconverged = 4;  ///< the fit did not converge, or had too few pixels
inline constexpr std::int16_t at_edge = 8;      ///< the island touches masked pixels or the edge of the image
inline constexpr std::int16_t moments = 16;     ///< there is no fit; values are sums and moments of the island's pixels
/// The island has more summits (maxima of curvature, see find_seeds) than fit.max_components; the faintest were left
/// out.
inline constexpr std::int16_t left_out = 32;
/// The fit's centre is on masked pixels. The row has the nearest pixel of the island, and the Gaussian's peak there.
inline constexpr std::int16_t centre_held = 64;
/// The model is above a pixel of the map by more than most_above times the noise, where this Gaussian is the brightest.
inline constexpr std::int16_t above_map = 128;
inline constexpr double most_above = 5;
inline constexpr std::int16_t loud = 256;  ///< errors are larger by the scatter of the residual around (enlarge_errors)
/// Masked pixels cut the source, and a Gaussian of another island, which has more of its light, is the whole of it.
inline constexpr std::int16_t doubled = 512;
inline constexpr const char* description =
    "1 shape of the beam, 2 a further Gaussian was left out, 4 rounds ended, 8 masked pixels or edge, 16 moments of "
    "the island, 32 more summits than max_components, 64 centre held at masked pixels, 128 residual below -5 sigma, "
    "256 errors enlarged by the residual, 512 the source has another row, beyond masked pixels";
}  // namespace fit_flag

/// Number of Gaussians of a source and its island. single (S): the source is one Gaussian, the only one of its island.
/// companion (C): the source is one Gaussian, and the island has other sources. multiple (M): the source has several
/// Gaussians, or moments without a fit.
enum class SourceCode : std::int16_t { single, companion, multiple };

/// Sums over the pixels of the island to which a row belongs, after subtraction of the level, and their noise.
struct IslandFacts {
  /// Sum of the pixel values divided by the number of pixels per beam, and its standard error.
  double total = 0, total_error = 0;
  double rms = 0;    ///< noise of a pixel at the island's brightest pixel
  double level = 0;  ///< level that was subtracted from the pixels
  double residual_rms = 0, residual_mean = 0;
};

/// Where the centre of a Gaussian is from the pixel on which its row has it, and the part of its peak at that pixel.
struct Held {
  double x = 0, y = 0, part = 1;
};

/// A row of a catalog: a Gaussian, or a source that consists of one or more Gaussians. Positions are in pixels; the
/// centre of the first pixel is 0. The shape is in squared pixels and includes the beam. The peak is in pixel values,
/// the total flux in pixel values times beams.
struct ComponentRow {
  std::int32_t island = 0, source = 0;  ///< number of the island, and of the source, from 1
  SourceCode code = SourceCode::single;
  std::int16_t flags = 0;
  double peak = 0, total = 0, x = 0, y = 0;
  GaussianShape shape;
  FittedCovariance covariance = {};
  double xmax = 0, ymax = 0;  ///< centre of the brightest Gaussian; without a fit, the position of the brightest pixel
  double xmax_error = 0, ymax_error = 0, xymax_covariance = 0;
  double chi2 = 0;                      ///< sum of (residual / noise)^2, divided by the degrees of freedom
  std::int32_t rounds = 0, pixels = 0;  ///< trial steps and pixels of the fit; without a fit, 0 and the island's pixels
  /// Estimated fraction of real sources among sources of similar S/N (stages/fit/reliability.hpp); 1 if fit.reliability
  /// is false. 0 where the map has no such light (Fitted::reliable).
  double reliability = 1;
  IslandFacts of_island;
  PixelBeam beam = {};  ///< the beam at the place of the row, in which `total` counts
  Held held = {};       ///< not the default where fit_flag::centre_held is set

  /// The Gaussian of the row as it was fitted.
  Gaussian fitted() const { return gaussian_of(peak / held.part, x + held.x, y + held.y, shape); }
};

}  // namespace srcextract
