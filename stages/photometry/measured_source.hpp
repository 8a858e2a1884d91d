#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/photometry/source_shape.hpp"

namespace srcextract {

struct EllipseFlux;
struct LightRadius;
struct StarLight;

/// A source as families of measurements need it.
struct MeasuredSource {
  std::int32_t number;              ///< from 1, as in the map of owners
  SourceShape shape;                ///< in the image in which it was found
  const SourceSums* found;          ///< sums in the image in which it was found
  const EllipseFlux* kron;          ///< result of that family, for those after it; null: it is not measured
  const LightRadius* radii;         ///< first row of that family, for those after it; null: it is not measured
  const StarLight* star = nullptr;  ///< result of that family, for those after it; null: it is not measured
  std::int32_t last_row = -1;       ///< last row of the source's island; -1: that of its own pixels
  double local_sky = 0;             ///< result of FrameSkyFamily: fluxes are above it
};

}  // namespace srcextract
