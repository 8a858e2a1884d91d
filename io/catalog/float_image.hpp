#pragma once

#include <functional>
#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Makes the pixels of row y.
using MakeRow = std::function<void(std::int64_t y, float* row)>;

/// Writes an image of float32, NaN = masked, with the cards given (80 columns each), a few rows at a time; the caller
/// commits the file. `name` becomes EXTNAME, `unit` BUNIT unless it is empty. Throws Error{output}.
[[nodiscard]] OutputFile write_float_image(const std::string& path, const Shape& shape, const std::string& name,
                                           const std::string& unit, const std::string& cards,
                                           const CatalogMetadata& metadata, const MakeRow& make_row);

}  // namespace srcextract
