#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Pixels ready to work on, and why some of them are masked.
template <class Where>
struct Pixels {
  Image<float, Where> image;
  std::int64_t nan = 0;       ///< not a number in the file
  std::int64_t infinite = 0;  ///< infinite, or beyond the range of float32 after scaling
  std::int64_t blank = 0;     ///< equal to BLANK

  std::int64_t masked() const { return nan + infinite + blank; }
};

/// Reads the plane, swaps, scales and masks it. The host holds at most a few MB of stored pixels at a time.
Pixels<Cpu> ingest(const PixelSource& source, const Cpu& where);
Pixels<Gpu> ingest(const PixelSource& source, const Gpu& where);

}  // namespace srcextract
