#pragma once

#include <cstdint>

namespace srcextract {

enum class DeblendMethod { none, tree };

/// How sources with several peaks are split, and whether sources in the wings of others are cleaned.
struct DeblendConfig {
  DeblendMethod method = DeblendMethod::none;
  /// Number of levels between threshold and peak, in equal steps of magnitude (SExtractor's DEBLEND_NTHRESH). Too few
  /// levels miss saddles between peaks.
  std::int64_t thresholds = 32;
  /// Least fraction of the source's total flux that a branch must have above the level where it joins others
  /// (DEBLEND_MINCONT). Too low splits galaxies at their spiral arms, and noise; too high leaves faint neighbours
  /// undivided.
  double contrast = 0.005;
  /// Whether a source that is detected only because of a brighter source's wings is joined to that source (CLEAN).
  /// Works with any `method`.
  bool clean = false;
  /// Exponent of the Moffat profile of the wings (CLEAN_PARAM). Lower means broader wings, which absorb more sources.
  double clean_beta = 1;

  bool operator==(const DeblendConfig&) const = default;
};

}  // namespace srcextract
