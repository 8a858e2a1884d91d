#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace srcextract {

enum class Dither { none, subtractive_1, subtractive_2 };

/// How the integers of a tile stand for floats (FITS Standard 4.0, 10.2): value = zero + scale * integer, computed in
/// double, where dithering moves the integer by what it was moved when it was rounded. An integer equal to `blank` is
/// NaN.
struct Quantisation {
  double scale = 1, zero = 0;
  std::optional<std::int32_t> blank = std::nullopt;
  Dither dither = Dither::none;
  std::int64_t random_begin = 0;  ///< the number of the tile, from 0, and ZDITHER0 - 1
};

/// `Integer` is std::uint8_t, std::int16_t or std::int32_t, `Float` float or double. `floats` is as long as `integers`.
template <class Integer, class Float>
void restore_floats(std::span<const Integer> integers, const Quantisation& quantisation, Float* floats);

}  // namespace srcextract
