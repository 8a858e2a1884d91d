#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// The position of a pixel, counted from 0, and its value.
struct BrightPixel {
  std::int32_t x, y;
  float value;
};

/// Returns for every source the pixel that is brightest after sky subtraction, with its value before sky subtraction.
/// To get this value, the mesh's level at the pixel is added again, up to rounding to float32. `measured` contains the
/// sums in the measured image; `mesh` is null if no mesh was subtracted.
std::vector<BrightPixel> brightest_pixels(std::span<const SourceSums> measured, const SkyMesh<Cpu>* mesh,
                                          const Cpu& where);

/// Sets flag::saturated for sources whose brightest pixel is at least `level`, within two roundings to float32.
void flag_saturated(std::span<const BrightPixel> brightest, double level, Sources& sources);

}  // namespace srcextract
