#pragma once

#include <span>

#include "config/config.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// Turns the sums of every source into the columns of the catalogue, all but the sky position (io/wcs/wcs.hpp adds it).
/// Positions and shapes come from `sums`, of the image in which the sources were found; fluxes and FLUX_MAX from
/// `fluxes`, the sums over the same sources in the image that is measured, or from `sums` if there are none. Runs on
/// the host for both back ends, with no function that libm rounds freely.
Sources derive_columns(std::span<const SourceSums> sums, std::span<const SourceSums> fluxes, const Shape& shape,
                       const Levels& levels, const MeasurementConfig& config, const Cpu& where = {});
inline Sources derive_columns(std::span<const SourceSums> sums, const Shape& shape, const Levels& levels,
                              const MeasurementConfig& config, const Cpu& where = {}) {
  return derive_columns(sums, {}, shape, levels, config, where);
}

}  // namespace srcextract
