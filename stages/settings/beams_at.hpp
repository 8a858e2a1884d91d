#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stages/settings/pixel_beam.hpp"

namespace srcextract {

/// Returns the beam at each place (x[i], y[i]) of a map, in pixels there; the centre of the first pixel is 0. An empty
/// function means that the beam is the same everywhere.
using BeamsAt = std::function<std::vector<PixelBeam>(std::span<const double> x, std::span<const double> y)>;

/// Returns the factor that converts a flux in pixel values times the beam `from` to one in pixel values times `to`.
inline double beam_unit(const PixelBeam& from, const PixelBeam& to) {
  return from.to_jansky == to.to_jansky ? 1 : from.to_jansky / to.to_jansky;
}

}  // namespace srcextract
