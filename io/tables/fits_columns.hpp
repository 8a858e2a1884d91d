#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/fits/fits_reader.hpp"
#include "io/tables/table_formats.hpp"

namespace srcextract {

/// A column of a FITS table that is readable as numbers or text.
struct FitsColumn {
  int number = 0;             ///< number from 1
  ColumnHead head;            ///< header of the first element
  std::int64_t elements = 1;  ///< elements per row
  std::int64_t width = 0;     ///< bytes of one string

  /// The CFITSIO type that holds every value exactly: TSTRING, TLOGICAL, TBIT, TINT, TLONGLONG, TULONGLONG, TFLOAT or
  /// TDOUBLE.
  int type = 0;
  bool stored_as_real = false;       ///< stored as binary reals, so that missing values are NaN
  bool whole = false;                ///< a TDOUBLE column of integers
  std::optional<std::int64_t> null;  ///< the integer that means missing
};

/// The columns of the table. Left out are columns of variable length, complex numbers, and vectors of more than
/// `longest` elements. With the default `longest`, pictures (TDIM) are left out too, since they are no quantity of a
/// source. Throws Error{input} if the header is invalid; `path` is for messages.
std::vector<FitsColumn> fits_columns(const Hdu& table, const std::string& path, std::int64_t longest = longest_vector);

}  // namespace srcextract
