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

/// One image HDU of a FITS file, opened for reading: plain, gzipped (.gz) or tile-compressed (.fz). CFITSIO never sees
/// the file name, so its extended filename syntax cannot be reached.
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
  std::int64_t planes() const;                    ///< number of planes, counted through all axes above the second
  bool compressed() const;                        ///< tile-compressed, or in a gzipped file
  const std::string& header() const;              ///< 80-column cards without separators, with END (for io/wcs/wcs.hpp)
  /// The cards of the primary HDU, whose keywords extensions inherit; valid as long as the image.
  std::string_view primary_header() const;

  /// The later images with pixels in the file, as "HDU 2 'ERR'", up to the first invalid header. The call costs time
  /// only if the file goes on after this image.
  std::vector<std::string> further_images() const;

  /// One plane (1-based, counted through all axes above the second) as stored pixels. How the pixels are read:
  /// - Plain images: with pread, straight from the data unit.
  /// - Gzipped files: copied from memory.
  /// - Tile-compressed images: decoded by the calling thread, unscaled, in native byte order. A damaged tile throws
  ///   Error{input} at that moment.
  ///
  /// Throws Error{input} if `number` is out of range.
  PixelSource plane(std::int64_t number) const;

  /// FITS checksum of the stored bytes of plane `number`; 0 for an image in memory.
  /// - A single plane has the sum that a DATASUM keyword of the HDU would have.
  /// - One plane of a cube has the sum of an HDU that holds this plane alone; the other planes are not read.
  /// - Planes of a tile-compressed image share a data unit; the sum covers the whole unit.
  ///
  /// The sum is built while a plane is read. Nothing more is read if each pixel of the last plane() was read once.
  std::uint32_t datasum(std::int64_t number) const;

  /// Calls InputFile::require_unchanged() on the file. Call it after the last pixel was read.
  void require_unchanged() const;

 private:
  std::unique_ptr<Impl> impl_;
};

/// An image in memory: planes of one shape, presented as an HDU of a file of that name.
struct MemoryImage {
  std::string name;    ///< name for messages
  int hdu = 0;         ///< HDU number it claims
  std::string header;  ///< 80-column cards without separators; empty: none
  std::vector<PixelSource> planes;
  std::string primary_header = {};  ///< cards of a primary HDU, whose keywords the image inherits
};

/// Opens an image in memory. The memory of its planes must outlive it. The header supplies sky, units and keywords; the
/// planes themselves say how values are stored. The image has no checksum and never changes.
FitsImage open_memory_image(MemoryImage image);

/// An HDU that select() chose, not opened yet. One with an unreadable header throws when it is opened, so it does not
/// block the other HDUs.
struct SelectedImage {
  std::string name;  ///< "HDU 2 'SCI' of image.fits", for messages
  int hdu = 0;       ///< 0-based
  Shape shape = {};  ///< shape of a plane; 0 x 0 if it cannot be read
  /// Bytes that open() and reading bring into memory; for a tile-compressed image, its stored tiles and the tiles that
  /// are being decoded.
  std::int64_t loaded_bytes = 0;
  /// Opens the image, after checking its header and the length of its data unit, before any pixel is read. Throws
  /// Error{input}, or Error{memory} if there is not enough memory.
  std::function<FitsImage()> open;
  std::int64_t held_bytes = 0;  ///< bytes the file keeps in memory while its images exist (FitsImages::held_bytes())
  std::string extname = {};     ///< empty if it has none
  std::optional<std::int64_t> extver = {};  ///< EXTVER, if the HDU has one
  bool has_header = true;                   ///< false: the headers become invalid here
  bool by_pattern = false;                  ///< selected by `all` or a pattern, not by name
  std::size_t number = 0;                   ///< index among those HDUs of its file that have pixels, from 0
  bool is_mask = false;                     ///< by_pattern selected a mask (is_mask_plane)
};

/// A FITS file whose images can be selected. Headers are read on demand, each once.
class FitsImages {
 public:
  /// Throws Error{input} if the file is not FITS, Error{memory} if its inflated size exceeds `most_held` bytes.
  explicit FitsImages(const std::string& path, std::int64_t most_held = std::numeric_limits<std::int64_t>::max());
  ~FitsImages();
  FitsImages(FitsImages&&) noexcept;

  /// The images that `hdus` selects (io/fits/hdu_selection.hpp), in file order. `key` is the configuration key of the
  /// names, for messages. With `all` and patterns, an invalid header is the last image, since no HDU can be found
  /// behind it. Throws Error{input}, listing the file's HDUs, if a name selects nothing; Error{memory} if the file
  /// would keep more than `most_held` bytes in memory.
  std::vector<SelectedImage> select(const HduNames& hdus, const std::string& key = "input.hdu");

  const std::string& path() const;

  /// Bytes the file keeps in memory: its whole contents if gzipped, plus selected headers beyond 8 MiB.
  std::int64_t held_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Selects images of a file that is opened for this call alone.
std::vector<SelectedImage> select_images(const std::string& path, const HduNames& hdus,
                                         std::int64_t most_held = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
