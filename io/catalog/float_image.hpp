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

/// Writes the pixels of row y (from 0) into `row`.
using MakeRow = std::function<void(std::int64_t y, float* row)>;

/// A float32 image (NaN = masked) whose rows are computed in order, while the image is written.
struct FloatImage {
  Shape shape;
  std::string name;   ///< EXTNAME, unless it is empty
  std::string unit;   ///< BUNIT, unless it is empty
  std::string cards;  ///< further header cards, 80 columns each
  MakeRow make_row;
  std::size_t further_axes =
      0;  ///< axes of length 1 above the second; not written to tiles, which many programs read with two axes
};

/// Returns the header of a primary image, padded to whole FITS records. `type` is the comment of BITPIX. `cards` follow
/// the cards of the axes; `further_axes` is the number of axes of length 1.
std::string image_header(std::int64_t bitpix, const char* type, const Shape& shape, const std::string& cards,
                         std::size_t further_axes = 0);

/// Writes the image a few rows at a time; the caller commits the file. Compression keeps every bit of the pixels. The
/// bytes depend on the image and on the version of zlib. A tiled image is the first extension: GZIP_2 without
/// quantisation (FITS Standard 4.0, section 10), compressed on the threads of `where`. Throws Error{output}.
[[nodiscard]] OutputFile write_float_image(const std::string& path, const FloatImage& image,
                                           ImageCompression compression, const CatalogMetadata& metadata,
                                           const Cpu& where);

}  // namespace srcextract
