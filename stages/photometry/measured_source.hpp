#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/photometry/source_shape.hpp"

namespace srcextract {

struct EllipseFlux;
struct LightRadius;

/// A source as the families of measurements take it.
struct MeasuredSource {
  std::int32_t number;       ///< from 1, as the map of owners has it
  SourceShape shape;         ///< where it was found
  const SourceSums* found;   ///< its sums there
  const EllipseFlux* kron;   ///< where that family was measured before, else null
  const LightRadius* radii;  ///< the same, the first of its rows
};

}  // namespace srcextract
