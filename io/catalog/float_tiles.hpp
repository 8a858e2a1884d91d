#pragma once

#include <string>

#include "io/catalog/float_image.hpp"

namespace srcextract {

/// Implements write_float_image for tile compression. `cards` are the header cards that do not describe the file's
/// layout.
[[nodiscard]] OutputFile write_float_tiles(const std::string& path, const FloatImage& image, const std::string& cards,
                                           const Cpu& where);

}  // namespace srcextract
