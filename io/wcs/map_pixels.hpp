#pragma once

#include <string>

#include "stages/core/exec.hpp"
#include "stages/core/pixel_map.hpp"

namespace srcextract {

/// Maps pixels of an image with this shape and header to pixels of another image, through the celestial WCS of both.
/// The map holds the positions of the nodes of a grid. wcslib computes projections and distortions; headers have
/// 80-column cards. The images may be in different celestial systems. `name` and `other_name` are
/// the names of the images in messages.
/// A node has no position (NaN):
/// - where either image has no sky;
/// - where interpolation between nodes would err by more than a quarter of a pixel, as at the edge of an all-sky map.
/// Positions vary by about 1e-10 pixels with the trigonometric functions of the C library.
/// Throws Error{input} that begins with the name of the image whose WCS cannot be used.
PixelMap map_pixels(const Shape& shape, const std::string& header, const std::string& name,
                    const std::string& other_header, const std::string& other_name, const Cpu& where);

/// Returns the largest shift in pixels of a node inside the image: 0 for aligned images, infinite if the images share
/// no sky.
double largest_shift(const PixelMap& map);

}  // namespace srcextract
