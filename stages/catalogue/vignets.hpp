#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Width and height of VIGNET cut-outs in pixels; 0 if none are wanted.
struct VignetSize {
  int width = 0, height = 0;

  bool any() const { return width > 0; }
};

/// The largest width and height.
inline constexpr int most_vignet_pixels = 1000;

/// The value of a pixel outside of the image, or masked, or of another source: -BIG of SExtractor and PSFEx.
inline constexpr float no_vignet_pixel = -1e30F;

/// The size in a word VIGNET(w,h) of output.columns; nothing for any other word.
std::optional<VignetSize> parse_vignet(std::string_view word);

/// The size in the first VIGNET word of output.columns; 0 if there is none.
VignetSize vignet_size(const std::vector<std::string>& columns);

/// The cut-outs of all sources, one after another, each row by row.
struct Vignets {
  VignetSize size;
  std::vector<float> pixels;
};

}  // namespace srcextract
