#pragma once

#include <cstdint>
#include <limits>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// A core cannot claim a pixel at which its claim (CoreShape::claim) is this or more.
inline constexpr float most_claim = 70;

inline constexpr double no_worth = -std::numeric_limits<double>::infinity();

/// Rule for finding the core whose Gaussian is highest at a pixel. Each rule has two functions:
/// - worth: how well a core's claim to a pixel rates; the core with the largest worth gets the pixel;
/// - bound: an upper limit of the worth of all cores with at most this amplitude and at least this claim.
struct MostProbable {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape& core, float claim) {
    return claim < most_claim ? core.ln_amplitude - static_cast<double>(claim) : no_worth;
  }
  SRCEXTRACT_HOST_DEVICE static double bound(double ln_amplitude, double least_claim) {
    return least_claim < static_cast<double>(most_claim) ? ln_amplitude - least_claim : no_worth;
  }
};

/// Rule for finding the core with the least claim to a pixel.
struct LeastClaim {
  SRCEXTRACT_HOST_DEVICE static double worth(const CoreShape&, float claim) { return -static_cast<double>(claim); }
  SRCEXTRACT_HOST_DEVICE static double bound(double, double least_claim) { return -least_claim; }
};

/// Distance of a value from the range `least` to `most`; 0 inside.
SRCEXTRACT_HOST_DEVICE inline double beyond(double value, double least, double most) {
  return value < least ? least - value : value > most ? value - most : 0.0;
}

}  // namespace srcextract
