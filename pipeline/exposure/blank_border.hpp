#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/core/exec.hpp"
#include "stages/core/exposure.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A mask of pixels without data that are 0 instead of NaN.
struct BlankBorder {
  PixelSource mask;  ///< masked (BLANK) where a pixel is blank
  std::int64_t pixels = 0;
};

/// Finds the pixels without data of an interferometer's map: runs of exact zeros. A run counts from 2 pixels on at
/// either end of a row, elsewhere from 8 pixels and 5 % of the row on. Noise makes no such runs. Empty if no row of a
/// sample begins or ends with zeros; then only that sample is read.
std::optional<BlankBorder> find_blank_border(const PixelSource& plane, const Cpu& where);

/// Adds a mask of the blank border to a radio map's exposure, unless it has a mask or several planes. Warns of the
/// border, in a message that begins with `name`.
void mask_blank_border(const std::string& name, Exposure& exposure);

}  // namespace srcextract
