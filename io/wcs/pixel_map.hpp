#pragma once

#include <string>

#include "stages/core/exec.hpp"
#include "stages/core/pixel_map.hpp"

namespace srcextract {

/// Where the pixels of an image of that shape and header lie in the pixels of another, by the celestial WCS of both,
/// each with projection and distortion (wcslib); headers in 80-column cards. One may be galactic and the other
/// equatorial. A node has no position where either frame has no sky, and where the map bends so much that positions
/// between nodes would be wrong by more than a quarter of a pixel, as where an all-sky map is cut open. Positions
/// depend on the C library's trigonometry, by some 1e-10 pixels.
///
/// Throws Error{input} that begins with the name of the frame whose WCS cannot be used.
PixelMap map_pixels(const Shape& shape, const std::string& header, const std::string& name,
                    const std::string& other_header, const std::string& other_name, const Cpu& where);

/// The largest distance, in pixels, by which a map moves a node that lies in the grid: 0 for frames that are aligned,
/// infinite for frames that have no sky in common.
double largest_shift(const PixelMap& map);

}  // namespace srcextract
