#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// The bits that `wanted` names by number or by names from the header; all bits if `wanted` is empty. Throws
/// Error{input} if the map has no such bit, if its pixels are real numbers, or if its header gives one name to two
/// bits.
std::uint64_t wanted_bits(const std::vector<std::string>& wanted, std::string_view header, const PixelFormat& format);

}  // namespace srcextract
