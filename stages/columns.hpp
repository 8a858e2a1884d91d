#pragma once

#include <span>

#include "config/config.hpp"
#include "stages/core/sources.hpp"
#include "stages/measure.hpp"

namespace srcextract {

/// Turns the sums of every source into the columns of the catalogue, all but the sky position (io/wcs.hpp adds it).
/// Runs on the host for both back ends, with no function that libm rounds freely.
Sources derive_columns(std::span<const SourceSums> sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config, const Cpu& where = {});

}  // namespace srcextract
