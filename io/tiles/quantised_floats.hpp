#pragma once

#include <span>

#include "stages/core/quantisation.hpp"

namespace srcextract {

/// Restores the floats of a tile, one per element of `integers`. `Integer` is std::uint8_t, std::int16_t or
/// std::int32_t, `Float` is float or double.
template <class Integer, class Float>
void restore_floats(std::span<const Integer> integers, const Quantisation& quantisation, Float* floats);

}  // namespace srcextract
