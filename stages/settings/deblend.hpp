#pragma once

#include <cstdint>

namespace srcextract {

enum class DeblendMethod { none, tree };

/// How sources with several peaks are split, and whether false detections in the wings of bright sources are joined to
/// those.
struct DeblendConfig {
  DeblendMethod method = DeblendMethod::none;
  /// Number of levels from threshold to peak, in equal steps of magnitude (SExtractor's DEBLEND_NTHRESH). With too few
  /// levels, saddles between peaks are missed.
  std::int64_t thresholds = 32;
  /// Fraction of the source's total flux that a branch must exceed above the level at which the branch joins another
  /// branch (DEBLEND_MINCONT). A low value splits galaxies along their spiral arms, and splits noise. A high value
  /// leaves faint neighbours undivided.
  double contrast = 0.005;
  /// Whether a source that is detected only because of a brighter source's wings is joined to that source (CLEAN).
  /// Works with any `method`.
  bool clean = false;
  /// Exponent of the Moffat profile that models the wings for `clean` (CLEAN_PARAM). A lower exponent means broader
  /// wings, so that more sources are joined.
  double clean_beta = 1;

  bool operator==(const DeblendConfig&) const = default;
};

}  // namespace srcextract
