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

/// How a FITS binary table stores a field (a column of numbers, of vectors, of images or of text).
struct BinaryForm {
  char letter = 'D';                          ///< letter of the type in TFORM
  std::int64_t repeat = 1;                    ///< number of elements in a row; for text, number of bytes
  std::string tdim;                           ///< TDIM of a field of images, such as "(35,35)"; else empty
  std::int64_t element_bytes = 0, bytes = 0;  ///< bytes of an element (a whole text), and of all elements

  /// Returns TFORM; a single number has no repeat count.
  std::string tform() const { return (repeat == 1 && letter != 'A' ? "" : std::to_string(repeat)) + letter; }
};

/// Returns whether a column has single precision, or at most 32 bits if it is one of integers.
using IsNarrow = std::function<bool(const Column& column, bool integer)>;

/// Chooses how a FITS table stores each field. A text column is as wide as its longest text. In a column for which
/// `narrow` returns true, values out of range are clamped. Fields that keep their bits are never narrow.
std::vector<BinaryForm> binary_forms(
    const CatalogRows& rows, const IsNarrow& narrow = [](const Column&, bool) { return false; });

std::int64_t row_bytes(const std::vector<BinaryForm>& forms);

/// Returns the names of the fields for a FITS table: printable ASCII, unique, and short enough for a header card.
std::vector<std::string> fits_names(const CatalogRows& rows);

/// Returns a sink for `count` rows in the forms `forms`. The caller has written the header of the table to the file.
/// finish() pads the rows to whole FITS records.
std::unique_ptr<RowSink> binary_sink(OutputFile& file, std::vector<BinaryForm> forms, std::int64_t count,
                                     const Cpu& where);

/// Throws Error{output} if the rows have more than 999 columns, the most that a FITS table can have.
void require_columns_fit(const CatalogRows& rows);

}  // namespace srcextract
