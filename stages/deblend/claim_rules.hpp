#pragma once

#include <cstdint>
#include <limits>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// A core has no claim to a pixel from this value on.
inline constexpr float most_claim = 70;

inline constexpr double no_worth = -std::numeric_limits<double>::infinity();

/// Rule of the search for the highest Gaussian. Each rule has two functions:
/// - worth: how much the claim of a core to a pixel is worth; the largest worth wins;
/// - bound: the largest worth of any core with no higher amplitude and no lower claim.
struct MostProbable {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape& core, float claim) {
    return claim < most_claim ? core.ln_amplitude - static_cast<double>(claim) : no_worth;
  }
  SRCEXTRACT_HOST_DEVICE static double bound(double ln_amplitude, double least_claim) {
    return least_claim < static_cast<double>(most_claim) ? ln_amplitude - least_claim : no_worth;
  }
};

/// Rule of the search for the least claim.
struct LeastClaim {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape&, float claim) { return -static_cast<double>(claim); }
  SRCEXTRACT_HOST_DEVICE static double bound(double, double least_claim) { return -least_claim; }
};

/// Distance of a value from a range; 0 inside.
SRCEXTRACT_HOST_DEVICE inline double beyond(double value, double least, double most) {
  return value < least ? least - value : value > most ? value - most : 0.0;
}

}  // namespace srcextract
