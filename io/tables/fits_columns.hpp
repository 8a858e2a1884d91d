#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/fits/fits_reader.hpp"
#include "io/tables/table_formats.hpp"

namespace srcextract {

/// A column of a FITS table that can be read as numbers or text.
struct FitsColumn {
  int number = 0;             ///< from 1
  ColumnHead head;            ///< of the first element
  std::int64_t elements = 1;  ///< in a row
  std::int64_t width = 0;     ///< of one string, in bytes

  /// The CFITSIO type that holds every value exactly: TSTRING, TLOGICAL, TBIT, TINT, TLONGLONG, TULONGLONG, TFLOAT or
  /// TDOUBLE.
  int type = 0;
  bool stored_as_real = false;       ///< in binary, so that a missing one is NaN already
  bool whole = false;                ///< of TDOUBLE: its values are integers
  std::optional<std::int64_t> null;  ///< the integer that stands for a missing one
};

/// The columns of the table, but those of variable length, of complex numbers, and of vectors of more elements than
/// `longest`; as long as that is longest_vector those of pictures (TDIM), too, which are no quantity of a source.
/// Throws Error{input} if the header is not valid; `path` is for messages.
std::vector<FitsColumn> fits_columns(const Hdu& table, const std::string& path, std::int64_t longest = longest_vector);

}  // namespace srcextract
