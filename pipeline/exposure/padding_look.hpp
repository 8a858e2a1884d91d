#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/exposure/padding_regions.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// A value that is no padding by its place, and yet more frequent than values of a sky are.
struct CommonValue {
  float value = 0;
  double share = 0;  ///< of the pixels that are not masked
};

/// Some rows of a plane, and an empty PaddingRegions with the values that may be padding there; none if there are none.
struct PaddingLook {
  std::vector<std::int64_t> rows;
  Image<float, Cpu> image;
  std::optional<PaddingRegions> regions;
};

/// Looks at the first and the last row of a plane, and at the ends of some rows between. `together`: number of rows
/// that are decompressed together. With `zeros`, 0 is always looked for.
PaddingLook look_for_padding(const PixelSource& plane, std::int64_t together, bool zeros);

/// The most frequent value of the rows that were looked at, without `padding`: if 5 to 50 % of the pixels have it and
/// it is far from most others. Photons, and a noisy sky of few levels, have no such value.
std::optional<CommonValue> common_value(const PaddingLook& look, const std::vector<Run>& padding);

}  // namespace srcextract
