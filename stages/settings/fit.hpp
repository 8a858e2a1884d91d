#pragma once

#include <cstdint>
#include <string>

namespace srcextract {

enum class FitModel { none, gaussians };

/// Settings of the fit of Gaussians to the islands of a radio map (stages/fit).
struct FitConfig {
  FitModel model = FitModel::none;
  /// Most Gaussians fitted to an island. Too few leave light of complex sources in the residual.
  std::int64_t max_components = 25;
  /// Pixels within this many FWHM of a component are fitted. With correlated noise more pixels make results worse, and
  /// fewer constrain shapes less.
  double radius = 0.7;
  /// Most trial steps of a fit.
  std::int64_t rounds = 40;
  /// How many times a Gaussian is added to an island whose residual still has a pixel above the seed threshold.
  std::int64_t refine = 1;
  /// Area of the noise's autocorrelation in units of the beam's area, for errors: 2 for white noise convolved with the
  /// beam, 1 for a dirty map. 0: measured.
  double noise_area = 0;
  /// Gaussians of an island are one source unless the light between them falls by more than this many thresholds below
  /// the fainter one. Larger values join more Gaussians.
  double group_tolerance = 1.0;
  /// Islands with more pixels get moments in place of a fit, which bounds the time that an image takes.
  std::int64_t large = 20000;
  /// Whether sources are also searched for in the negated map. Where noise is symmetric, their number shows how many
  /// sources are false.
  bool reliability = false;
  /// Measure the Gaussians in every channel of a cube, and their spectral index.
  bool channels = false;
  /// Measure the Gaussians in Stokes Q, U and V.
  bool stokes = false;
  /// File of the cube that is measured, in place of the image's own planes. Its pixels must show the same sky.
  std::string cube;

  bool operator==(const FitConfig&) const = default;
};

}  // namespace srcextract
