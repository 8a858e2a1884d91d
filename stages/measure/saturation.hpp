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

/// The pixel of every source that is brightest above the sky, with its value before a mesh was subtracted. The level of
/// the mesh at the pixel is added again, as exactly as float32 allows. `measured` are the sums in the measured image;
/// `mesh` is null if none was subtracted.
std::vector<BrightPixel> brightest_pixels(std::span<const SourceSums> measured, const SkyMesh<Cpu>* mesh,
                                          const Cpu& where);

/// Sets flag::saturated if the brightest pixel is at least `level`, with a tolerance of two roundings to float32.
void flag_saturated(std::span<const BrightPixel> brightest, double level, Sources& sources);

}  // namespace srcextract
