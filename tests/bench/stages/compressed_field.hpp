#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/bench/stages/benchmarks.hpp"
#include "tests/io/support/compressed_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::bench {

inline constexpr std::int64_t compressed_side = 4096;

/// Stars on a sky of 100 with noise of 10.
template <class Pixel>
std::vector<Pixel> detector_pixels() {
  const std::vector<float>& field = sky(compressed_side);
  std::vector<Pixel> pixels(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    const float value = 100 + 10 * field[i];
    pixels[i] =
        static_cast<Pixel>(std::is_integral_v<Pixel> ? std::clamp(std::round(value), -32768.f, 32767.f) : value);
  }
  return pixels;
}

/// A compressed file that goes with the program.
template <class Pixel>
const std::string& compressed_field() {
  static const testing::TemporaryFolder folder;
  static const std::string path = [] {
    constexpr bool integers = std::is_integral_v<Pixel>;
    const testing::Compression how{.method = RICE_1, .quantize = 4, .dither = SUBTRACTIVE_DITHER_1};
    return folder.write("field.fits.fz",
                        testing::compressed_file(how, integers ? 16 : -32, integers ? TSHORT : TFLOAT,
                                                 {compressed_side, compressed_side}, detector_pixels<Pixel>()));
  }();
  return path;
}

}  // namespace srcextract::bench
