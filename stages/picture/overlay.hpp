#pragma once

#include <array>
#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// What was found, drawn over a picture. Everything beyond its edges is left out; the time goes with what is drawn.

/// A picture in at most 256 colours: every pixel is one of the palette's, which are red, green and blue.
struct ColourPicture {
  Image<std::uint8_t, Cpu> image;
  std::array<std::array<std::uint8_t, 3>, 256> palette;
};

/// Draws an ellipse of 3 A_IMAGE by 3 B_IMAGE at every source's position, in orange; where that is less than 4 pixels
/// of the picture, of 4. A source without a position or a shape has none, nor has one wider than the picture is long.
/// The greys are those of the picture, but that 254 is white as 255 is.
ColourPicture draw_ellipses(const Sources& sources, const Picture& picture, const Cpu& where);

/// How detected pixels are told from others.
enum class Tint {
  sky_blue,  ///< half of their grey is that colour
  red,       ///< their red is full, the others a third of their grey: what changed, in a difference
};

/// Tints every pixel of the picture in which there is a detected one. `label` has the source of every run; runs of 0
/// were dropped. There are 128 greys, at most one from those of the picture, and as many tints.
ColourPicture tint_pixels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Tint tint,
                          const Picture& picture, const Cpu& where);

}  // namespace srcextract
