#pragma once

namespace srcextract {

/// The lossless compression of a FITS file with an image.
enum class ImageCompression {
  none,
  gzip,  ///< compresses the whole file
  tiles  ///< compresses only the pixels, a few rows at a time (FITS Standard 4.0, section 10)
};

}  // namespace srcextract
