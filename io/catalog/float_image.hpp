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

/// Makes the pixels of row y.
using MakeRow = std::function<void(std::int64_t y, float* row)>;

/// A float32 image (NaN = masked), whose rows are made while they are written, in order.
struct FloatImage {
  Shape shape;
  std::string name;   ///< EXTNAME, unless it is empty
  std::string unit;   ///< BUNIT, unless it is empty
  std::string cards;  ///< further header cards, 80 columns each
  MakeRow make_row;
  std::size_t further_axes =
      0;  ///< of length 1, above the second; not in tiles, which many programs read with two axes
};

/// The header of a primary image, in whole records. `type` is the comment of BITPIX; `cards` follow the axes, of which
/// `further_axes` have length 1.
std::string image_header(std::int64_t bitpix, const char* type, const Shape& shape, const std::string& cards,
                         std::size_t further_axes = 0);

/// Writes the image a few rows at a time; the caller commits the file. Compression keeps every bit of the pixels. The
/// bytes depend on the image and on the version of zlib. A tiled image is the first extension: GZIP_2 without
/// quantisation (FITS Standard 4.0, section 10), compressed on the threads of `where`. Throws Error{output}.
[[nodiscard]] OutputFile write_float_image(const std::string& path, const FloatImage& image,
                                           ImageCompression compression, const CatalogMetadata& metadata,
                                           const Cpu& where);

}  // namespace srcextract
