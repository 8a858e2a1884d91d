#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Pixels far below the sky in the cores of stars: saturated pixels that were set to 0, or numbers that overflowed.
struct DarkCores {
  /// A pixel that gets another value. `index`: in raster order, from 0.
  struct Pixel {
    std::int64_t index;
    float value;
  };
  std::vector<Pixel> pixels;   ///< in raster order
  std::int64_t saturated = 0;  ///< number of cores that get the value `level`
  std::int64_t masked = 0;     ///< number of other places, which are masked: single dark pixels in fainter stars
  double level = 0;            ///< the level of saturation; if it is not known, the greatest light of the plane
  std::int64_t x = 0, y = 0;   ///< a pixel of the first one, from 0
  bool knows_level = false;    ///< whether the level of saturation was known
};

/// Finds dark cores: connected pixels that are 0 or more than 10 sigma below the sky, with what they enclose, of whose
/// neighbours at least three of four are more than 10 sigma above the sky. Level and noise of the sky are those of
/// ImageSample. In an image whose sky was subtracted, negative pixels may be noise or differences: a negative core
/// there is as far below zero as half the greatest light is above.
///
/// `saturation`: level of saturation; 0: not known. `together`: number of rows that are decompressed together. Throws
/// the errors of reading.
DarkCores find_dark_cores(const Exposure& exposure, const Config& config, double saturation, std::int64_t together);

/// The plane with the values of its dark cores. Integers become float32, as ingest() makes them.
PixelSource without_dark_cores(const PixelSource& plane, const DarkCores& cores);

/// A warning that tells of them, and names the key; empty if there are none.
std::string warning_of(const DarkCores& cores, const Config& config);

}  // namespace srcextract
