#pragma once

#include <string>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Throws Error{input} unless the image has pixels, of a readable size and type, all of them in the file.
void check_image(const Hdu& hdu, const InputFile& file);

/// The format that turns stored pixels into values. Throws Error{input} if there is none.
PixelFormat read_pixel_format(const Hdu& hdu, const InputFile& file);

/// The header of the image; for a compressed image, the header of the image it represents.
std::string image_header(const Hdu& hdu);

}  // namespace srcextract
