#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Width and height in pixels of VIGNET cut-outs (small images around each source); 0 if the user requests none.
struct VignetSize {
  int width = 0, height = 0;

  bool any() const { return width > 0; }
};

/// The largest width and height of a cut-out in pixels.
inline constexpr int most_vignet_pixels = 1000;

/// Value of a cut-out pixel that is outside the image, masked, or part of another source. SExtractor and PSFEx use the
/// same value.
inline constexpr float no_vignet_pixel = -1e30F;

/// The size in a word VIGNET(w,h) of output.columns; nothing if the word is different or a number is out of range.
std::optional<VignetSize> parse_vignet(std::string_view word);

/// The size in the first valid VIGNET(w,h) word of output.columns; 0 if there is no such word.
VignetSize vignet_size(const std::vector<std::string>& columns);

/// The cut-outs of all sources, one after another; the pixels of each are in row order.
struct Vignets {
  VignetSize size;
  std::vector<float> pixels;
};

}  // namespace srcextract
