#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A bit of a map of quality that its header names: MP_BAD = 0, or HIERARCH MP_DETECTED_NEGATIVE = 6 (LSST's).
struct MaskPlane {
  std::string name;
  int bit;
};
std::vector<MaskPlane> mask_planes(std::string_view header);

/// The bits that `wanted` names, by number or as the header does; all if it names none. Throws Error{input} if the map
/// has no such bit, or its header gives a name to two.
std::uint64_t wanted_bits(const std::vector<std::string>& wanted, std::string_view header, const PixelFormat& format);

}  // namespace srcextract
