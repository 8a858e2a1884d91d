#include "stages/photometry/growth.hpp"

#include "stages/core/vector_clones.hpp"
#include "stages/photometry/lanes.hpp"

namespace srcextract {

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN GrowthCurve measure_growth(const HostLanes& lanes,
                                                                       const MeasuredSource& source,
                                                                       const PhotometryImage& image, double least) {
  return measure_growth<HostLanes>(lanes, source, image, least);
}

}  // namespace srcextract
