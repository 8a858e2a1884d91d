#pragma once

#include <cstdint>
#include <limits>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// A core (part of an island that becomes a source) cannot get a pixel at which its claim (CoreShape::claim) is this or
/// more, except if no core has a smaller claim. The value is SExtractor's.
inline constexpr float most_claim = 70;

inline constexpr double no_worth = -std::numeric_limits<double>::infinity();

/// Rule by which the core with the highest Gaussian gets a pixel. Each rule has two functions:
/// - worth() rates a core at a pixel; the core with the largest worth gets the pixel;
/// - bound() is an upper limit of worth() for all cores with at most this ln_amplitude and at least this claim.
struct MostProbable {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape& core, float claim) {
    return claim < most_claim ? core.ln_amplitude - static_cast<double>(claim) : no_worth;
  }
  SRCEXTRACT_HOST_DEVICE static double bound(double ln_amplitude, double least_claim) {
    return least_claim < static_cast<double>(most_claim) ? ln_amplitude - least_claim : no_worth;
  }
};

/// Rule by which the core with the least claim gets a pixel. Functions are as in MostProbable.
struct LeastClaim {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape&, float claim) { return -static_cast<double>(claim); }
  SRCEXTRACT_HOST_DEVICE static double bound(double, double least_claim) { return -least_claim; }
};

/// Returns the distance of a value from the range `least` to `most`; 0 if the value is inside.
SRCEXTRACT_HOST_DEVICE inline double beyond(double value, double least, double most) {
  return value < least ? least - value : value > most ? value - most : 0.0;
}

}  // namespace srcextract
