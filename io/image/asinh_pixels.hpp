#pragma once

#include <optional>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// The scale of asinh pixels, as in stacks of Pan-STARRS (Waters et al. 2020, ApJS 251, 4): flux = BOFFSET + BSOFTEN *
/// 2 sinh(x / a) with a = 2.5 / ln 10, where x is the stored number after BSCALE and BZERO.
struct AsinhScale {
  double softening = 0;  ///< BSOFTEN
  double offset = 0;     ///< BOFFSET
};

/// Returns the asinh scale of an image that has the keyword BSOFTEN. Returns nothing for integers without BSCALE, since
/// these are masks beside such an image. Throws Error{input} if the keywords give no pixel a flux.
std::optional<AsinhScale> read_asinh_scale(const Hdu& hdu, const PixelFormat& format, const Header& primary,
                                           const InputFile& file);

/// Returns a source of the fluxes of asinh pixels, as float32 numbers. They are computed in double, without functions
/// of libm, and rounded once. A BLANK pixel is NaN.
PixelSource linear_pixels(const PixelSource& stored, const AsinhScale& scale);

}  // namespace srcextract
