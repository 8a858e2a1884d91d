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
  int number = 0;             ///< number in the FITS keywords, from 1
  ColumnHead head;            ///< name, unit, UCD and description of the first element
  std::int64_t elements = 1;  ///< elements per row
  std::int64_t width = 0;     ///< bytes of one element; for text, of one string

  /// CFITSIO data type into which the column is read: TSTRING, TLOGICAL, TBIT, TINT, TLONGLONG, TULONGLONG, TFLOAT or
  /// TDOUBLE. The type holds every value exactly, except scaled numbers and numbers of ASCII tables, which become
  /// doubles.
  int type = 0;
  bool stored_as_real = false;       ///< true if the file holds binary floats or doubles, in which NaN means missing
  bool whole = false;                ///< true if a column read as TDOUBLE holds only integers
  std::optional<std::int64_t> null;  ///< integer that means a missing value, after scaling
};

/// Returns the columns of the table, except those of variable length, of complex numbers, and of vectors with more than
/// `longest` elements. With the default `longest`, columns of images (a TDIM of two or more axes) are left out too: an
/// image is no quantity of a source. Throws Error{input} if the header is invalid; the message names `path`.
std::vector<FitsColumn> fits_columns(const Hdu& table, const std::string& path, std::int64_t longest = longest_vector);

}  // namespace srcextract
