#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/catalog/catalog_rows.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// How a FITS binary table stores a field.
struct BinaryForm {
  char letter = 'D';                          ///< letter of TFORM
  std::int64_t repeat = 1;                    ///< number of elements; bytes for text
  std::string tdim;                           ///< "(35,35)", for pictures only
  std::int64_t element_bytes = 0, bytes = 0;  ///< bytes of one element (for text, of the whole text), and of all
                                              ///< elements

  /// TFORM; a single number has no repeat count.
  std::string tform() const { return (repeat == 1 && letter != 'A' ? "" : std::to_string(repeat)) + letter; }
};

/// Chooses how a FITS table stores each field. A text column is as wide as its longest text. A `narrow` column has
/// single precision, or at most 32 bits for whole numbers; values out of range are clamped.
std::vector<BinaryForm> binary_forms(
    const CatalogRows& rows, const std::function<bool(const Column&)>& narrow = [](const Column&) { return false; });

std::int64_t row_bytes(const std::vector<BinaryForm>& forms);

/// Names of the fields for a FITS table: ASCII, unique, and short enough for a header card.
std::vector<std::string> fits_names(const CatalogRows& rows);

/// Writes the data of a FITS table, whose header is in the file already: `count` rows in these forms. finish() pads
/// them to whole FITS records.
std::unique_ptr<RowSink> binary_sink(OutputFile& file, std::vector<BinaryForm> forms, std::int64_t count,
                                     const Cpu& where);

/// Throws Error{output} if these rows have more columns than a FITS table can have.
void require_columns_fit(const CatalogRows& rows);

}  // namespace srcextract
