#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/core/hdu_names.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// One image HDU of a FITS file, opened for reading. The file name is only ever a file name: CFITSIO never sees it, so
/// none of its extended syntax can be reached. Reads plain, gzipped (.gz) and tile-compressed (.fz) images.
class FitsImage {
 public:
  struct Impl;
  explicit FitsImage(std::unique_ptr<Impl> impl);
  ~FitsImage();
  FitsImage(FitsImage&&) noexcept;
  FitsImage& operator=(FitsImage&&) noexcept;

  int hdu() const;                                ///< 0-based, as astropy counts
  const std::string& extname() const;             ///< empty if it has none
  const std::vector<std::int64_t>& axes() const;  ///< NAXIS1, NAXIS2, ...
  std::int64_t planes() const;                    ///< counted through all axes above the second
  bool compressed() const;                        ///< tile-compressed, or in a gzipped file
  const std::string& header() const;  ///< 80-column cards without separators, END included (for io/wcs/wcs.hpp)
  /// The same of the primary HDU, whose keywords extensions inherit; good as long as the image.
  std::string_view primary_header() const;

  /// "HDU 2 'ERR'", ...: the images with pixels that come after this one in the file, as far as headers are valid. It
  /// takes time only where there is something after this one.
  std::vector<std::string> further_images() const;

  /// One plane (1-based, counted through all axes above the second) as stored pixels. Those of plain images are read
  /// with pread straight from the data unit, those of gzipped files copied from memory; tile-compressed ones are
  /// decoded by the thread that asks for them, unscaled, in native byte order: it is then that a damaged tile is an
  /// Error{input}. Throws Error{input} if `number` is out of range.
  PixelSource plane(std::int64_t number) const;

  /// Checksum, in the FITS convention, of the stored bytes of plane `number`: equal to a DATASUM keyword of the HDU
  /// where that is its only plane, and to that of an HDU with this plane alone where it is one of a cube, whose other
  /// planes are not read. Planes of tile-compressed images share their data unit: the sum is that of the whole of it.
  /// It is made while a plane is read, and known already if every pixel of the last plane() was read once. 0 of an
  /// image that is no file's.
  std::uint32_t datasum(std::int64_t number) const;

  /// InputFile::require_unchanged() of its file: to be asked once all of the image that is needed was read.
  void require_unchanged() const;

 private:
  std::unique_ptr<Impl> impl_;
};

/// An image that is no file's: its planes, of one shape, as the HDU of a file of that name would have them.
struct MemoryImage {
  std::string name;    ///< in messages
  int hdu = 0;         ///< that it counts as
  std::string header;  ///< 80-column cards without separators; empty: none
  std::vector<PixelSource> planes;
  std::string primary_header = {};  ///< the same of a primary HDU, whose keywords it inherits
};

/// The image of the one HDU of `image`. What its planes lie in must outlive it. Its header is asked for the sky, for
/// units and for keywords; how values are stored, its planes say. It has no checksum, and never changes.
FitsImage open_memory_image(MemoryImage image);

/// An HDU that was selected. One that cannot be read says so when it is opened, and does not stand in the way of
/// others.
struct SelectedImage {
  std::string name;  ///< "HDU 2 'SCI' of image.fits", for messages
  int hdu = 0;       ///< 0-based
  Shape shape = {};  ///< of a plane; 0 x 0 if it cannot be read
  /// That open() and reading bring into memory: of a tile-compressed image the stored ones, and tiles being decoded.
  std::int64_t loaded_bytes = 0;
  /// Opens the image. Its header and the length of its data unit are checked by then, before a pixel is read. Throws
  /// Error{input}, or Error{memory} if there is not enough memory.
  std::function<FitsImage()> open;
  std::int64_t held_bytes = 0;  ///< that the file has in memory as long as its images (FitsImages::held_bytes())
  std::string extname = {};     ///< empty if it has none
  std::optional<std::int64_t> extver = {};  ///< nothing if it has none
  bool has_header = true;                   ///< false: it is where headers stop being valid
  bool by_pattern = false;                  ///< selected by `all` or a pattern, and by no name of its own
  bool is_mask = false;                     ///< of integers, and by its EXTNAME no picture of the sky (is_mask_plane)
};

/// A FITS file whose images are selected. Its headers are read as far as they are asked for, each once.
class FitsImages {
 public:
  /// Throws Error{input} if it is no FITS file, Error{memory} if a gzipped one has more than `most_held` bytes.
  explicit FitsImages(const std::string& path, std::int64_t most_held = std::numeric_limits<std::int64_t>::max());
  ~FitsImages();
  FitsImages(FitsImages&&) noexcept;

  /// The images that `hdus` selects (io/fits/hdu_selection.hpp), in the order of the file; at least one for each name,
  /// or Error{input} that says what the file does hold; `key` of the configuration has the names. With `all` and
  /// patterns, a header that is not valid, behind which no HDU can be found, is the last image. Throws Error{memory} if
  /// the file would have more than `most_held` bytes in memory.
  std::vector<SelectedImage> select(const HduNames& hdus, const std::string& key = "input.hdu");

  const std::string& path() const;

  /// That the file has in memory: all of it if it is gzipped, and the headers of the images that were selected, where
  /// they are more than some MB.
  std::int64_t held_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same of a file of which no more is asked.
std::vector<SelectedImage> select_images(const std::string& path, const HduNames& hdus,
                                         std::int64_t most_held = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
