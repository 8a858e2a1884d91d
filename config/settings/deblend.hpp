#pragma once

#include <cstdint>

namespace srcextract {

enum class DeblendMethod { none, tree };

/// The division of sources of more than one peak, and what becomes of those in the wings of others.
struct DeblendConfig {
  DeblendMethod method = DeblendMethod::none;
  /// Levels between the threshold and the peak, in equal steps of magnitude (SExtractor's DEBLEND_NTHRESH). Too few
  /// pass over what is between two peaks.
  std::int64_t thresholds = 32;
  /// Of the whole source's flux, that a branch must have above the level at which it joins others (DEBLEND_MINCONT).
  /// Too low divides galaxies at their spiral arms, and noise; too high leaves faint neighbours.
  double contrast = 0.005;
  /// Whether sources that are in the wings of brighter ones, and would not be sources without their light, become parts
  /// of these (CLEAN). With any method.
  bool clean = false;
  /// The exponent of the wings, of a Moffat profile (CLEAN_PARAM). Lower makes them broader, which takes more sources.
  double clean_beta = 1;

  bool operator==(const DeblendConfig&) const = default;
};

}  // namespace srcextract
