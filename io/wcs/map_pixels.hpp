#pragma once

#include <string>

#include "stages/core/exec.hpp"
#include "stages/core/pixel_map.hpp"

namespace srcextract {

/// Maps the pixels of an image with this shape and header to pixels of another image, by the celestial WCS of both.
/// The map has positions at nodes of a grid. Projection and distortion come from wcslib; headers are 80-column cards.
/// One frame may be galactic and the other equatorial.
/// A node has no position:
/// - where either frame has no sky;
/// - where the map bends so much that interpolation errs by more than a quarter of a pixel, as at the cut of an all-sky
///   map.
/// Positions depend on the C library's trigonometry, by about 1e-10 pixels.
/// Throws Error{input} that begins with the name of the frame whose WCS is unusable.
PixelMap map_pixels(const Shape& shape, const std::string& header, const std::string& name,
                    const std::string& other_header, const std::string& other_name, const Cpu& where);

/// The largest shift of a node inside the image, in pixels: 0 for aligned frames, infinite if the frames share no sky.
double largest_shift(const PixelMap& map);

}  // namespace srcextract
