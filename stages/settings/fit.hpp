#pragma once

#include <cstdint>
#include <string>

namespace srcextract {

enum class FitModel { none, gaussians };

/// Settings of the fit of Gaussians to the islands (connected pixels above the threshold) of a radio map (stages/fit).
struct FitConfig {
  FitModel model = FitModel::none;
  /// Maximum number of Gaussians fitted to an island. With too few, light of complex sources stays in the residual.
  std::int64_t max_components = 25;
  /// Pixels within this many FWHM of a Gaussian are fitted. As the noise is correlated, more pixels make results worse;
  /// fewer pixels constrain the shape less.
  double radius = 0.7;
  /// Maximum number of trial steps of a fit.
  std::int64_t rounds = 40;
  /// Maximum number of times that a Gaussian is added to an island and the fit repeated. The residual must have a pixel
  /// above detection.seed, or above only detection.threshold after a bad fit (fit_gaussians).
  std::int64_t refine = 1;
  /// Area of the noise's autocorrelation, in units of the beam's area, from which errors are computed. 2: white noise
  /// convolved with the beam; 1: a dirty map. 0: the area is measured in the image.
  double noise_area = 0;
  /// Two Gaussians of an island belong to one source unless the light between them falls below the fainter centre by
  /// more than this many detection thresholds. Gaussians farther apart than the mean of their FWHM are not joined.
  /// Larger values join more Gaussians.
  double group_tolerance = 1.0;
  /// Maximum number of pixels of an island that is fitted. Larger islands are described by moments, which bounds the
  /// time for an image.
  std::int64_t large = 20000;
  /// Whether sources are also searched in the negated map. If noise is symmetric, as many sources are false in the map
  /// as are found in the negated map.
  bool reliability = false;
  /// Whether the Gaussians' fluxes are also measured in every channel of a cube, and spectral indices fitted.
  bool channels = false;
  /// Whether the Gaussians' fluxes are also measured in Stokes Q, U and V.
  bool stokes = false;
  /// File of the cube that `channels` and `stokes` measure; empty: the image's own file. The cube's pixel grid must be
  /// the image's.
  std::string cube;

  bool operator==(const FitConfig&) const = default;
};

}  // namespace srcextract
