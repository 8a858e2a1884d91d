#pragma once

#include <array>
#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// Draws what was found over a picture. Parts beyond its edges are left out. Time is proportional to what is drawn.

/// A picture with at most 256 colours. A pixel is an index of the palette, whose entries are red, green and blue.
struct ColourPicture {
  Image<std::uint8_t, Cpu> image;
  std::array<std::array<std::uint8_t, 3>, 256> palette;
};

/// Draws an ellipse of 3 A_IMAGE by 3 B_IMAGE at every source's position, in orange; semi-axes are at least 4 pixels of
/// the picture. A source without a position or a shape has no ellipse, nor has one wider than the picture is long.
/// Greys are those of the picture, except that 254 becomes white like 255.
ColourPicture draw_ellipses(const Sources& sources, const Picture& picture, const Cpu& where);

/// How detected pixels are marked.
enum class Tint {
  sky_blue,  ///< half of their grey is replaced by that colour
  red,       ///< full red, with green and blue at a third of the grey: changes in a difference
};

/// Tints every pixel of the picture that contains a detected one. `label` has the source of every run; runs of 0 were
/// dropped. There are 128 greys, each at most one from that of the picture, and 128 tints.
ColourPicture tint_pixels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Tint tint,
                          const Picture& picture, const Cpu& where);

}  // namespace srcextract
