#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/photometry/source_shape.hpp"

namespace srcextract {

struct EllipseFlux;
struct LightRadius;
struct StarLight;

/// A source, as input of the families (groups of measurements, see families.hpp).
struct MeasuredSource {
  std::int32_t number;              ///< number from 1, as in PhotometryImage::owner
  SourceShape shape;                ///< position and ellipse in the detection image
  const SourceSums* found;          ///< sums over its pixels in the detection image
  const EllipseFlux* kron;          ///< result of KronFamily; null if not measured
  const LightRadius* radii;         ///< first row of LightRadiusFamily; null if not measured
  const StarLight* star = nullptr;  ///< result of StarFamily; null if not measured
  /// last row of the source's island (connected pixels before deblending); -1: last row of its own pixels
  std::int32_t last_row = -1;
  double local_sky = 0;  ///< result of FrameSkyFamily, which is subtracted from fluxes; 0 if not measured
};

}  // namespace srcextract
