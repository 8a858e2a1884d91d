#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/catalogue/image_compression.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Function that stores the pixels of row y (from 0) in `row`.
using MakeRow = std::function<void(std::int64_t y, float* row)>;

/// A float32 image, in which NaN marks masked pixels. write_float_image() calls `make_row` for the rows in order. It
/// stores at most 2^20 pixels at a time, or one row if a row is longer.
struct FloatImage {
  Shape shape;
  std::string name;   ///< EXTNAME; empty for none
  std::string unit;   ///< BUNIT; empty for none
  std::string cards;  ///< further header cards, 80 columns each
  MakeRow make_row;
  std::size_t further_axes = 0;  ///< number of axes of length 1 above the second; left out with tiles, since many
                                 ///< programs accept only two axes there
};

/// Returns the header of a primary image, padded to whole FITS records. `type` is the comment of BITPIX. `cards` come
/// after the cards of the axes; `further_axes` is the number of axes of length 1 above the second.
std::string image_header(std::int64_t bitpix, const char* type, const Shape& shape, const std::string& cards,
                         std::size_t further_axes = 0);

/// Returns the tile shape for writing a compressed image: whole rows of at most 65536 pixels together, or one longer
/// row. Smaller tiles compress worse, and larger tiles need more memory. Rows longer than 2^20 pixels are divided,
/// because CFITSIO stores the number of bytes of a tile in an int.
Shape tile_shape(const Shape& shape);

/// Writes the image a few rows at a time; the caller commits the file. Compression is lossless. The bytes depend only
/// on the image, the compression, and the versions of srcextract and zlib. A tiled image is the first extension,
/// compressed with GZIP_2 without quantisation (FITS Standard 4.0, section 10) by the threads of `where`. Throws
/// Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_float_image(const std::string& path, const FloatImage& image,
                                           ImageCompression compression, const CatalogMetadata& metadata,
                                           const Cpu& where);

}  // namespace srcextract
