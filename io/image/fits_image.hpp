#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/hdu_selection.hpp"
#include "io/image/asinh_pixels.hpp"
#include "stages/core/hdu_names.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Another image with pixels in the file of an image, for messages and hints.
struct FurtherImage {
  std::string label;  ///< such as "HDU 2 'ERR'"
  int hdu = 0;        ///< index of the HDU, from 0
  std::string extname = {};
  std::optional<std::int64_t> extver = {};
  std::string uncertainty = {};  ///< UTYPE, by which astropy's CCDData tells what an uncertainty is
  int bitpix = 0;
  std::vector<std::int64_t> axes = {};
};

/// One image HDU of a FITS file, opened for reading: plain, gzipped (.gz) or tile-compressed (.fz). CFITSIO never gets
/// the file name, so that brackets in a name have no special meaning.
class FitsImage {
 public:
  struct Impl;
  explicit FitsImage(std::unique_ptr<Impl> impl);
  ~FitsImage();
  FitsImage(FitsImage&&) noexcept;
  FitsImage& operator=(FitsImage&&) noexcept;

  int hdu() const;                                ///< index of the HDU, from 0
  const std::string& extname() const;             ///< EXTNAME, empty if there is none
  std::optional<std::int64_t> extver() const;     ///< EXTVER, if the HDU has one
  const std::vector<std::int64_t>& axes() const;  ///< NAXIS1, NAXIS2, ...
  std::int64_t planes() const;                    ///< number of planes: the product of all axes above the second
  bool compressed() const;                        ///< true for tiles and for gzipped files
  const std::string& header() const;              ///< 80-column cards without line ends, up to and including END
  /// Replaces the text of header(), which decides the WCS. What is known of the pixels stays as it is.
  void set_header(std::string header);
  /// Cards of the primary HDU; extensions inherit its keywords unless INHERIT is F. The text is valid as long as this
  /// image.
  std::string_view primary_header() const;

  /// HDUs after this image in the file, up to the first invalid header.
  struct Further {
    std::vector<FurtherImage> images;    ///< images that the key `input.hdu` could select with `all`
    std::vector<std::string> no_images;  ///< others that look like images, as in FitsImages::passed_over()
  };

  /// Returns the further HDUs of the file. Reads headers only if the file does not end with this image.
  Further further_images() const;

  /// The scale of asinh pixels in the file, which plane() makes linear; nothing for other images.
  const std::optional<AsinhScale>& asinh_scale() const;

  /// Returns a source of the stored pixels of plane `number`, from 1, counted through all axes above the second. The
  /// source reads pixels:
  /// - of a plain image from the file, with pread;
  /// - of a gzipped file from memory;
  /// - of a tile-compressed image by decoding tiles in the calling thread, unscaled and in native byte order. A damaged
  /// tile throws Error{input} then.
  ///
  /// Pixels with an asinh scale are linear float32 numbers there, and header() has no such scale.
  /// Throws Error{input} if `number` is out of range.
  PixelSource plane(std::int64_t number) const;

  /// Number of rows that are decompressed together; 1 if rows can be read one by one.
  std::int64_t rows_together() const;

  /// Returns the FITS checksum of the stored bytes of plane `number`, from 1. Returns 0 for an image in memory.
  /// - For an image of one plane, the checksum is the one that a DATASUM keyword of the HDU would have.
  /// - For a plane of a cube, the checksum is that of an HDU with this plane alone; other planes are not read.
  /// - For a tile-compressed image, whose planes share a data unit, the checksum is that of the whole data unit.
  ///
  /// A PixelSource adds up the checksum while pixels are read. If each pixel of the last plane() was read once,
  /// datasum() reads nothing more.
  std::uint32_t datasum(std::int64_t number) const;

  /// Forgets which pixels of plane `number`, from 1, were read so far. To be called after some were only looked at:
  /// datasum() then adds up the reads that follow, and no decoded tile is kept for the rest of its pixels.
  void forget_reads(std::int64_t number) const;

  /// Calls InputFile::require_unchanged() on the file. To be called after the last pixel was read.
  void require_unchanged() const;

 private:
  std::unique_ptr<Impl> impl_;
};

/// An image in memory, made of planes of one shape, which looks like an HDU of a file named `name`.
struct MemoryImage {
  std::string name;    ///< name in messages
  int hdu = 0;         ///< index of the HDU, from 0
  std::string header;  ///< 80-column cards without line ends; empty if there are none
  std::vector<PixelSource> planes;
  std::string primary_header = {};  ///< cards of a primary HDU, from which the image inherits keywords
};

/// Opens an image in memory. The memory of the planes must outlive the image. The header gives sky coordinates, units
/// and keywords; the format of each plane says how values are stored. The image has no checksum and counts as
/// unchanged.
FitsImage open_memory_image(MemoryImage image);

/// An HDU that select() chose, not opened yet. If its header is invalid, open() throws, so that other HDUs of the file
/// can still be used.
struct SelectedImage {
  std::string name;  ///< "HDU 2 'SCI' of image.fits", for messages
  int hdu = 0;       ///< index of the HDU, from 0
  Shape shape = {};  ///< shape of a plane; 0 x 0 if the header is invalid
  /// Bytes of memory that open() and reading pixels need beyond `held_bytes`. Not 0 only for a tile-compressed image:
  /// stored tiles, and tiles being decoded.
  std::int64_t loaded_bytes = 0;
  /// Opens the image. Before any pixel is read, checks the header and the length of the data unit. Throws Error{input},
  /// or Error{memory} if there is not enough memory.
  std::function<FitsImage()> open;
  std::int64_t held_bytes = 0;              ///< bytes in memory while any image of the file exists
  std::string extname = {};                 ///< EXTNAME, empty if there is none
  std::optional<std::int64_t> extver = {};  ///< EXTVER, if the HDU has one
  bool has_header = true;                   ///< false if this stands for an HDU with an invalid header
  bool by_pattern = false;                  ///< selected by `all` or a pattern, not by name
  std::size_t number = 0;                   ///< index among the HDUs of the file with two axes or more, from 0
  bool is_mask = false;                     ///< true if a pattern selected a mask (is_mask_plane)
};

/// A FITS file from which images can be selected. Headers are read when they are needed.
class FitsImages {
 public:
  /// Throws Error{input} if the file is not FITS, Error{memory} if the inflated file exceeds `most_held` bytes.
  explicit FitsImages(const std::string& path, std::int64_t most_held = std::numeric_limits<std::int64_t>::max());
  ~FitsImages();
  FitsImages(FitsImages&&) noexcept;

  /// Returns the images that `hdus` selects (io/fits/hdu_selection.hpp), in file order. If `auto`, `all` or a pattern
  /// finds only images smaller than needed, the size does not count. Messages name `key`, the configuration key of the
  /// HDU names. With `all` and patterns, an HDU with an invalid header is the last image,
  /// since no further HDU can be found after it. Throws Error{input}, listing the HDUs of the file, if a name selects
  /// nothing. Throws Error{memory} if the file would keep more than `most_held` bytes in memory.
  std::vector<SelectedImage> select(const HduNames& hdus, const std::string& key = "input.hdu",
                                    const ImageNeeds& needs = {});

  /// The HDUs that the last select() passed over since they are no images as needed, each with the reason in brackets:
  /// "HDU 1 (one axis)".
  const std::vector<std::string>& passed_over() const;

  const std::string& path() const;

  /// Bytes that the file keeps in memory: all contents if the file is gzipped, and an estimate for the selected images
  /// beyond 8 MiB.
  std::int64_t held_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Selects images of a file that is opened only for this call.
std::vector<SelectedImage> select_images(const std::string& path, const HduNames& hdus,
                                         std::int64_t most_held = std::numeric_limits<std::int64_t>::max(),
                                         const ImageNeeds& needs = {});

}  // namespace srcextract
