#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/fits/header.hpp"

namespace srcextract {

/// A column of a binary table, from its TFORM (FITS Standard 4.0, 7.3.1).
struct BinaryColumn {
  int number = 0;           ///< from 1
  std::string name;         ///< TTYPE
  char type = 0;            ///< element type: L X B I J K A E D C M
  bool variable = false;    ///< rows hold descriptors of elements in the heap
  bool wide = false;        ///< descriptors have 64 bits (Q), not 32 (P)
  std::int64_t repeat = 1;  ///< elements per row; descriptors (0 or 1) if variable
  std::int64_t text = 0;    ///< characters of one string, for type A
  std::int64_t begin = 0;   ///< offset in a row, in bytes
  std::int64_t bytes = 0;   ///< bytes in a row
};

/// Bytes of an element; 0 for bits.
std::int64_t element_bytes(char type);

/// The columns of a binary table. Throws Error{input} if a TFORM is invalid, or if the columns are wider than a row.
/// `where` begins the messages.
std::vector<BinaryColumn> binary_columns(const Header& header, const std::string& where);

/// Returns the TFORM of a column, from its parsed type and size.
std::string form_of(const BinaryColumn& column);

/// The column of that name, in any case; nullptr if there is none.
const BinaryColumn* find_column(const std::vector<BinaryColumn>& columns, const std::string& name);

}  // namespace srcextract
