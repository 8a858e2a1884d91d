#pragma once

namespace srcextract {

/// How the FITS file of an image is compressed. All methods are lossless.
enum class ImageCompression {
  none,
  gzip,  ///< the whole file
  tiles  ///< only the pixels, a few rows at a time (FITS Standard 4.0, section 10)
};

}  // namespace srcextract
