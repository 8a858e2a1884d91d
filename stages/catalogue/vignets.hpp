#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Pixels along x and y of the cut-outs that VIGNET is made of; 0 where there are none.
struct VignetSize {
  int width = 0, height = 0;

  bool any() const { return width > 0; }
};

/// Pixels along either side of the largest.
inline constexpr int most_vignet_pixels = 1000;

/// What a pixel is that is not to be looked at: SExtractor's and PSFEx's -BIG.
inline constexpr float no_vignet_pixel = -1e30F;

/// What the word VIGNET(w,h) of output.columns asks for; none if it is another word.
std::optional<VignetSize> parse_vignet(std::string_view word);

/// What words of output.columns ask for.
VignetSize vignet_size(const std::vector<std::string>& columns);

/// The cut-outs of all sources, one after the other, row by row.
struct Vignets {
  VignetSize size;
  std::vector<float> pixels;
};

}  // namespace srcextract
