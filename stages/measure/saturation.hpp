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

/// The value at which stars are clipped, and the number of sources that end there; both 0 if no such value is known.
struct ClippedPeaks {
  double level = 0;
  std::int64_t sources = 0;
};

/// Returns the greatest value of the brightest pixels if at least three sources share it, within two roundings to
/// float32: the detector or the file's data type cannot represent a larger value. Peaks of unsaturated stars differ.
ClippedPeaks clipped_peaks(std::span<const BrightPixel> brightest);

/// Sets flag::saturated for sources whose brightest pixel is at least `level`, within two roundings to float32.
void flag_saturated(std::span<const BrightPixel> brightest, double level, Sources& sources);

}  // namespace srcextract
