#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// How a FITS binary table stores a field.
struct BinaryForm {
  char letter = 'D';                          ///< of TFORM
  std::int64_t repeat = 1;                    ///< its elements; of text its bytes
  std::string tdim;                           ///< of pictures alone, "(35,35)"
  std::int64_t element_bytes = 0, bytes = 0;  ///< of an element or of the text, and of the whole field

  /// TFORM; a single number has no repeat count.
  std::string tform() const { return (repeat == 1 && letter != 'A' ? "" : std::to_string(repeat)) + letter; }
};

/// The forms of the fields. Text is as long as the longest of the column. Of a column that is `narrow`, real numbers
/// are of single precision, and whole numbers of 32 bits at most: what does not fit is the nearest that does.
std::vector<BinaryForm> binary_forms(
    const CatalogRows& rows, const std::function<bool(const Column&)>& narrow = [](const Column&) { return false; });

std::int64_t row_bytes(const std::vector<BinaryForm>& forms);

/// The names of the fields as a FITS table can have them: in ASCII, short enough for a card, and each another one.
std::vector<std::string> fits_names(const CatalogRows& rows);

/// Writes the rows, big-endian, fields side by side, and the elements of each.
void write_binary_rows(OutputFile& file, const CatalogRows& rows, const std::vector<BinaryForm>& forms,
                       const Cpu& where);

/// Zeros from the end of so many bytes of data up to a whole record.
void fill_record(OutputFile& file, std::int64_t bytes);

/// Throws Error{output} if a FITS table cannot have so many columns.
void require_columns_fit(const CatalogRows& rows);

}  // namespace srcextract
