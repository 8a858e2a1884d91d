#pragma once

#include <algorithm>
#include <vector>

#include "stages/fit/fit_block.hpp"
#include "stages/fit/fitted_row.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/noise_correlation.hpp"
#include "stages/fit/normal_equations.hpp"
#include "stages/fit/seeds.hpp"
#include "stages/settings/beams_at.hpp"
#include "stages/settings/fit.hpp"

namespace srcextract {

/// Returns the beam with axes of at most 16 times the map's. Near a pole of a cylindrical map, the beam is as long as
/// the map, and a fit would take too long.
inline PixelBeam bounded(PixelBeam beam, const PixelBeam& of_map) {
  const double longest = 16 * of_map.major;
  beam.major = std::min(beam.major, longest);
  beam.minor = std::min(beam.minor, longest);
  return beam;
}

/// Settings, beam and noise of fits. All fits of a map share them, or those of an island do, where the beam of each
/// place is another (BeamsAt).
struct FitRule {
  FitConfig config;
  PixelBeam pixel_beam;    ///< the beam at the place of the fit
  GaussianShape beam;      ///< shape of the beam
  double beam_pixels = 1;  ///< PixelBeam::area(): the number of pixels per beam
  /// Largest change of the beam's shape half a beam away, as a fraction: how far a point is from a Gaussian in pixels.
  double distortion = 0;
  NoiseCorrelation correlation;
  SeedRule seeds;

  /// `place` is the beam at the place of the fit, `of_map` that of the map.
  FitRule(const FitConfig& of, const PixelBeam& place, const PixelBeam& of_map, double noise_area, double threshold,
          double seed)
      : config(of),
        pixel_beam(place),
        beam(shape_of(bounded(place, of_map))),
        beam_pixels(place.area()),
        correlation(beam, noise_area),
        seeds{beam, seed, threshold, noise_of_curvature(correlation), ripple_of_curvature(beam)} {}
};

/// The Gaussians fitted to an island (connected set of pixels above the threshold); `of` is empty if no fit was
/// possible.
struct IslandGaussians {
  std::vector<Fitted> of;  ///< in raster order of their start positions; peaks in units of the island's noise
  std::vector<PixelBeam> beams = {};  ///< the beam at the place of each Gaussian; fit_gaussians() leaves it empty
  SymmetricMatrix covariance;         ///< covariance of the parameters of all Gaussians (BlockFit::find_covariance)
  std::int16_t flags = 0;             ///< bits of fit_flag that hold for all rows of the island
  std::int64_t rounds = 0;            ///< number of trial steps of all fits
  std::int64_t pixels = 0;            ///< number of fitted pixels, summed over the blocks (fit_gaussians)
  /// Integral of a Gaussian that was removed since its centre was too far on masked pixels (Fitted::integral); 0: none.
  double beyond = 0;
  double chi2 = 0;  ///< sum of (residual / noise)^2, divided by the degrees of freedom
};

/// Fits Gaussians to an island, starting with the Gaussians of find_seeds(). Then, at most fit.refine times, a Gaussian
/// is added at the largest residual, and kept if the rms of the residuals falls. The largest residual must exceed
/// SeedRule::least, or only SeedRule::threshold if the rms of the residuals is 1.5 or more, in units of the noise.
/// Where pixels differ on the sky, the residual must also exceed what that difference leaves of a bright point. No
/// Gaussian is added if this rms is at most 1, or if the island has fit.max_components Gaussians.
///
/// Implausible Gaussians get the shape of the beam. Gaussians that remain implausible are removed. To limit the time,
/// at most eight Gaussians are fitted together. If there are more, neighbours are fitted in blocks of eight, with the
/// other Gaussians subtracted; each block is fitted twice. An island of more than fit.large pixels gets no Gaussians.
IslandGaussians fit_gaussians(const FitMap& map, const FitIsland& island, const FitRule& rule);

/// Returns the sum of the Gaussians `of` at pixel (x, y), in units of the island's noise.
double model_at(const std::vector<Fitted>& of, double x, double y);

}  // namespace srcextract
