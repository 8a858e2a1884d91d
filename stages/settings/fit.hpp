#pragma once

#include <cstdint>

namespace srcextract {

enum class FitModel { none, gaussians };

/// The fit of Gaussians to the islands of a radio map (stages/fit).
struct FitConfig {
  FitModel model = FitModel::none;
  /// Most Gaussians in an island: too few leave light of complex sources in the residual.
  std::int64_t max_components = 25;
  /// Pixels within this many FWHM of a component are fitted. In correlated noise more pixels make results worse, and
  /// fewer tell less about shapes.
  double radius = 0.7;
  /// Most trial steps of a fit.
  std::int64_t rounds = 40;
  /// How often a Gaussian is added where the residual of an island still has a pixel above the seed.
  std::int64_t refine = 1;
  /// Area of the noise's autocorrelation in units of the beam's, for errors: 2 for white noise seen through the beam, 1
  /// for a dirty map. 0: measured.
  double noise_area = 0;
  /// Gaussians of an island are one source unless the light between them falls by more than this many thresholds below
  /// the fainter one. Larger values join more.
  double group_tolerance = 1.0;
  /// Islands of more pixels get moments in place of a fit, which bounds the time that an image takes.
  std::int64_t large = 20000;
  /// Whether sources are looked for in the negated map as well. Where its noise is symmetric, they tell how many of the
  /// sources are false.
  bool reliability = false;

  bool operator==(const FitConfig&) const = default;
};

}  // namespace srcextract
