#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/core/exec.hpp"
#include "stages/core/exposure.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A mask of pixels that have no data but the value 0 instead of NaN.
struct BlankBorder {
  PixelSource mask;  ///< an image whose pixels are masked (BLANK) where the map has no data
  std::int64_t pixels = 0;
};

/// Finds the pixels without data of an interferometer's map: sequences of exact zeros in a row. At either end of a row,
/// 2 zeros are enough. Elsewhere a sequence must have at least 8 pixels and 5 % of the row. Noise makes no such
/// sequences.
///
/// Returns nullopt if none of 64 sampled rows begins or ends with zeros. Then only these rows are read.
std::optional<BlankBorder> find_blank_border(const PixelSource& plane, const Cpu& where);

/// Adds a mask of the pixels without data to a radio map's exposure. Does nothing if the exposure has a mask or several
/// planes. Logs a warning that begins with `name` if pixels are masked.
void mask_blank_border(const std::string& name, Exposure& exposure);

}  // namespace srcextract
