#pragma once

#include <cstdint>
#include <vector>

#include "io/fits/fits_reader.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Returns true if the HDU is an array of one value that is stored without pixels: NAXIS = 0 with NPIX1, NPIX2 and
/// PIXVALUE, as for maps of errors and of quality flags from the Hubble Space Telescope (HST Data Handbook).
bool is_constant_array(const Hdu& hdu);

/// An array of one value.
struct ConstantArray {
  std::vector<std::int64_t> axes;  ///< NPIX1, NPIX2, ...
  PixelFormat format;              ///< that of the HDU, or float64 if the value is no number of that format
  std::vector<std::byte> stored;   ///< one pixel of this format
};

/// Reads a constant array. Throws Error{input} that begins with `where` if a keyword is invalid.
ConstantArray read_constant_array(const Hdu& hdu, const std::string& where);

/// Returns a source of one plane of the array.
PixelSource constant_plane(const ConstantArray& array);

}  // namespace srcextract
