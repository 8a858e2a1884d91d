#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// A pixel, counted from 0, and its value.
struct BrightPixel {
  std::int32_t x, y;
  float value;
};

/// Returns for every source the brightest pixel above the sky, with its value before a mesh was subtracted. The mesh's
/// level at the pixel is added again, as exactly as float32 allows. `measured` has the sums in the measured image;
/// `mesh` is null if none was subtracted.
std::vector<BrightPixel> brightest_pixels(std::span<const SourceSums> measured, const SkyMesh<Cpu>* mesh,
                                          const Cpu& where);

/// Sets flag::saturated for sources whose brightest pixel is at least `level`, with a tolerance of two roundings to
/// float32.
void flag_saturated(std::span<const BrightPixel> brightest, double level, Sources& sources);

}  // namespace srcextract
