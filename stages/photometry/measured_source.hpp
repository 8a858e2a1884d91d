#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/photometry/source_shape.hpp"

namespace srcextract {

struct EllipseFlux;
struct LightRadius;
struct StarLight;

/// A source as input of the families of measurements.
struct MeasuredSource {
  std::int32_t number;              ///< from 1, as in the map of owners
  SourceShape shape;                ///< position and ellipse in the image in which the source was found
  const SourceSums* found;          ///< sums over its pixels in the image in which it was found
  const EllipseFlux* kron;          ///< result of KronFamily, for families after it; null: not measured
  const LightRadius* radii;         ///< first row of LightRadiusFamily, for families after it; null: not measured
  const StarLight* star = nullptr;  ///< result of StarFamily, for families after it; null: not measured
  std::int32_t last_row = -1;       ///< last row of the source's island; -1: that of its own pixels
  double local_sky = 0;             ///< result of FrameSkyFamily: the sky that is subtracted from fluxes
};

}  // namespace srcextract
