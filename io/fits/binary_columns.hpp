#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/fits/header.hpp"

namespace srcextract {

/// A column of a binary table, as its TFORM says (FITS Standard 4.0, 7.3.1).
struct BinaryColumn {
  int number = 0;           ///< from 1
  std::string name;         ///< TTYPE
  char type = 0;            ///< the letter of its elements: L X B I J K A E D C M
  bool variable = false;    ///< the rows hold where in the heap the elements are
  bool wide = false;        ///< that is told in 64 bits (Q), not in 32 (P)
  std::int64_t repeat = 1;  ///< elements of a row; of variable length, 0 or 1 descriptor
  std::int64_t text = 0;    ///< characters of one string, of type A
  std::int64_t begin = 0;   ///< where it begins in a row, in bytes
  std::int64_t bytes = 0;   ///< of a row
};

/// Bytes of an element of a type; 0 of bits.
std::int64_t element_bytes(char type);

/// The columns of a binary table. Throws Error{input} if a TFORM makes no sense, or if they are wider than a row.
/// `where` begins the messages.
std::vector<BinaryColumn> binary_columns(const Header& header, const std::string& where);

/// The TFORM of a column, as we write it.
std::string form_of(const BinaryColumn& column);

/// That of the name, in any case; nullptr if there is none.
const BinaryColumn* find_column(const std::vector<BinaryColumn>& columns, const std::string& name);

}  // namespace srcextract
