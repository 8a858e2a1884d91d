#pragma once

#include <string>

#include "io/catalog/float_image.hpp"

namespace srcextract {

/// What write_float_image does where the image is compressed in tiles; `cards` are those of its header that do not say
/// how the file is built.
[[nodiscard]] OutputFile write_float_tiles(const std::string& path, const FloatImage& image, const std::string& cards,
                                           const Cpu& where);

}  // namespace srcextract
