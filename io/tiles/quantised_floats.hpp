#pragma once

#include <span>

#include "stages/core/quantisation.hpp"

namespace srcextract {

/// Computes the float pixels of a tile from quantised integers; `floats` has one element per integer. `Integer` is
/// std::uint8_t, std::int16_t or std::int32_t, `Float` is float or double. The null value becomes NaN.
template <class Integer, class Float>
void restore_floats(std::span<const Integer> integers, const Quantisation& quantisation, Float* floats);

}  // namespace srcextract
