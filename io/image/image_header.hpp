#pragma once

#include <string>
#include <string_view>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Throws Error{input} unless the image has pixels, all of them are in the file, and size and BITPIX can be read.
void check_image(const Hdu& hdu, const InputFile& file);

/// Returns the format that converts stored pixels into values. Throws Error{input} if BSCALE, BZERO or BLANK is invalid
/// or misspelt.
PixelFormat read_pixel_format(const Hdu& hdu, const InputFile& file);

/// Returns the cards of the image. For a compressed image these are the cards of the image before compression.
std::string image_header(const Hdu& hdu);

/// Returns the cards without BSOFTEN and BOFFSET, for an image whose pixels are made linear.
std::string without_asinh_scale(std::string_view cards);

}  // namespace srcextract
