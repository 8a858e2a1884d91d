#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// One image HDU of a FITS file, opened for reading. The file name is only ever a file name: CFITSIO never sees it, so
/// none of its extended syntax can be reached. Reads plain, gzipped (.gz) and tile-compressed (.fz) images.
class FitsImage {
 public:
  ~FitsImage();
  FitsImage(FitsImage&&) noexcept;
  FitsImage& operator=(FitsImage&&) noexcept;

  int hdu() const;                                ///< 0-based, as astropy counts
  const std::string& extname() const;             ///< empty if it has none
  const std::vector<std::int64_t>& axes() const;  ///< NAXIS1, NAXIS2, ...
  bool compressed() const;                        ///< tile-compressed, or in a gzipped file
  const std::string& header() const;              ///< 80-column cards without separators, END included (for io/wcs.hpp)

  /// One plane (1-based, counted through all axes above the second) as stored pixels. Those of plain images are read
  /// with pread straight from the data unit, those of gzipped files copied from memory; tile-compressed ones come
  /// through CFITSIO, unscaled, in native byte order. Throws Error{input} if `number` is out of range.
  PixelSource plane(std::int64_t number) const;

  /// Checksum of the stored bytes of the HDU's data unit in the FITS convention: equal to a DATASUM keyword of it.
  std::uint32_t datasum() const;

 private:
  friend std::vector<FitsImage> open_fits_images(const std::string& path, const std::string& hdu);
  struct Impl;
  explicit FitsImage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Opens the images of a file that `hdu` selects: `auto` (the first HDU with a non-empty image), a number from 0, an
/// EXTNAME (case-insensitive; the first HDU of that name), or `all`; at least one, or Error{input} that says what the
/// file does hold. Every header and the length of the data unit are checked here, before a pixel is read.
std::vector<FitsImage> open_fits_images(const std::string& path, const std::string& hdu);

}  // namespace srcextract
