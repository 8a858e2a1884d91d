#pragma once

namespace srcextract {

/// How the FITS file of an image is made smaller; every way gives all bits of the pixels back.
enum class ImageCompression {
  none,
  gzip,  ///< the whole file
  tiles  ///< the pixels alone, a few rows at a time, as the FITS Standard has it (4.0, section 10)
};

}  // namespace srcextract
