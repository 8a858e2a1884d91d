#pragma once

#include <array>
#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// Functions that draw detected sources over a picture. Parts beyond its edges are left out. Time is proportional to
/// what is drawn.

/// A picture with at most 256 colours. A pixel is an index of the palette, whose entries are red, green and blue.
struct ColourPicture {
  Image<std::uint8_t, Cpu> image;
  std::array<std::array<std::uint8_t, 3>, 256> palette;
};

/// Draws an ellipse of 3 A_IMAGE by 3 B_IMAGE at every source's position, in orange; semi-axes are at least 4 pixels of
/// the picture. No ellipse is drawn for a source without a position or a shape, or for one larger than the picture.
/// Greys are those of the picture, except that 254 becomes white like 255.
ColourPicture draw_ellipses(const Sources& sources, const Picture& picture, const Cpu& where);

/// How detected pixels are marked.
enum class Tint {
  sky_blue,  ///< half of the pixel's grey is replaced by sky blue
  red,       ///< for changes in a difference: full red; green and blue are a third of the grey
};

/// Tints every pixel of the picture that contains a detected pixel. `label` has the source of every run; runs with 0
/// are not tinted. The result has 128 greys, each at most one from that of the picture, and 128 tints.
ColourPicture tint_pixels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Tint tint,
                          const Picture& picture, const Cpu& where);

}  // namespace srcextract
