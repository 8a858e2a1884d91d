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

/// The pixel of every source that is brightest above the sky, as it was before a mesh was subtracted, which is put back
/// at the pixel: as close as float32 can hold it. `measured` are the sums in the image that is measured; `mesh` is null
/// if none was subtracted.
std::vector<BrightPixel> brightest_pixels(std::span<const SourceSums> measured, const SkyMesh<Cpu>* mesh,
                                          const Cpu& where);

/// Sets flag::saturated where the brightest pixel is at least `level`, or less by no more than two roundings to
/// float32.
void flag_saturated(std::span<const BrightPixel> brightest, double level, Sources& sources);

}  // namespace srcextract
