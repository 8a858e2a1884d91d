#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/core/exec.hpp"
#include "stages/core/exposure.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A mask of pixels that stand for nothing though they are not NaN.
struct BlankBorder {
  PixelSource mask;  ///< masked (BLANK) where a pixel is blank
  std::int64_t pixels = 0;
};

/// The pixels of an interferometer's map that are exactly 0 in a run of at least 2 pixels at either end of a row, or of
/// at least 5 % of a row: no noise makes such runs. Nothing if there are none at the border. Unless there are, few rows
/// are read.
std::optional<BlankBorder> find_blank_border(const PixelSource& plane, const Cpu& where);

/// Masks the blank border of a radio map that no mask covers, with a warning that begins with `name`.
void mask_blank_border(const std::string& name, Exposure& exposure);

}  // namespace srcextract
