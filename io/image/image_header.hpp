#pragma once

#include <string>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Throws Error{input} unless the HDU, an image, has pixels, of a size and a type that can be read, all in the file.
void check_image(const Hdu& hdu, const InputFile& file);

/// How the pixels of the HDU become values. Throws Error{input} if none can.
PixelFormat read_pixel_format(const Hdu& hdu, const InputFile& file);

/// The header of the image: of a compressed one, that of the image that it stands for.
std::string image_header(const Hdu& hdu);

}  // namespace srcextract
