#pragma once

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

/// An image of float32, NaN = masked, whose rows are made as they are written, from the first to the last.
struct FloatImage {
  Shape shape;
  std::string name;   ///< EXTNAME, unless it is empty
  std::string unit;   ///< BUNIT, unless it is empty
  std::string cards;  ///< of its header besides, 80 columns each
  MakeRow make_row;
};

/// The header of a primary image, as whole records: `type` says what BITPIX means, `cards` come after the axes.
std::string image_header(std::int64_t bitpix, const char* type, const Shape& shape, const std::string& cards);

/// Writes it a few rows at a time; the caller commits the file. Compressed or not, all bits of the pixels are kept, and
/// the bytes of the file follow from the image and the version of zlib. In tiles it is the first extension: GZIP_2
/// without quantisation (FITS Standard 4.0, section 10), for which `where` has threads. Throws Error{output}.
[[nodiscard]] OutputFile write_float_image(const std::string& path, const FloatImage& image,
                                           ImageCompression compression, const CatalogMetadata& metadata,
                                           const Cpu& where);

}  // namespace srcextract
