#pragma once

#include <array>
#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// Functions that draw detected sources over a picture. Parts outside the picture are not drawn. The time is
/// proportional to the number of pixels in the picture and to the number of drawn pixels.

/// A picture with at most 256 colours. A pixel is an index of the palette; a palette entry is red, green and blue.
struct ColourPicture {
  Image<std::uint8_t, Cpu> image;
  std::array<std::array<std::uint8_t, 3>, 256> palette;
};

/// Draws an orange ellipse at every source's position, with the semi-axes 3 A_IMAGE and 3 B_IMAGE, or at least 4 pixels
/// of the picture. No ellipse is drawn if the source has no position or shape, or if a semi-axis is longer than the
/// picture's longer side. Greys do not change, except that 254 becomes white like 255.
ColourPicture draw_ellipses(const Sources& sources, const Picture& picture, const Cpu& where);

/// Colour that marks detected pixels.
enum class Tint {
  sky_blue,  ///< mean of the pixel's grey and sky blue
  red,       ///< full red, with green and blue a third of the grey; for changes in a difference image
};

/// Tints every pixel of the picture that contains a detected pixel. label[i] is the source of run i (consecutive pixels
/// of a row); runs with label 0 are not tinted. The result has 128 greys, which differ by at most 1 from the picture's
/// greys, and 128 tints.
ColourPicture tint_pixels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Tint tint,
                          const Picture& picture, const Cpu& where);

}  // namespace srcextract
