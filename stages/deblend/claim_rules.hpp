#pragma once

#include <cstdint>
#include <limits>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// A claim of this or more is none.
inline constexpr float most_claim = 70;

inline constexpr double no_worth = -std::numeric_limits<double>::infinity();

/// Of the search for the Gaussian of which there is most. Both rules tell what a core's claim to a pixel is worth, and
/// the most that one can be of which the amplitude is no higher and the claim no less.
struct MostProbable {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape& core, float claim) {
    return claim < most_claim ? core.ln_amplitude - static_cast<double>(claim) : no_worth;
  }
  SRCEXTRACT_HOST_DEVICE static double bound(double ln_amplitude, double least_claim) {
    return least_claim < static_cast<double>(most_claim) ? ln_amplitude - least_claim : no_worth;
  }
};

/// Of the search for the least claim.
struct LeastClaim {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape&, float claim) { return -static_cast<double>(claim); }
  SRCEXTRACT_HOST_DEVICE static double bound(double, double least_claim) { return -least_claim; }
};

/// How far a value is outside of a range.
SRCEXTRACT_HOST_DEVICE inline double beyond(double value, double least, double most) {
  return value < least ? least - value : value > most ? value - most : 0.0;
}

}  // namespace srcextract
