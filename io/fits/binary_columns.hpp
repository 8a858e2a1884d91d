#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/fits/header.hpp"

namespace srcextract {

/// A column of a binary table, as its TFORM keyword describes it (FITS Standard 4.0, 7.3.1).
struct BinaryColumn {
  int number = 0;           ///< column number in the FITS keywords, from 1
  std::string name;         ///< TTYPE
  char type = 0;            ///< letter of the element type in TFORM: L X B I J K A E D C M
  bool variable = false;    ///< true if a row holds descriptors, which point to the elements in the heap
  bool wide = false;        ///< true if descriptors are pairs of 64-bit numbers (Q), false if of 32-bit numbers (P)
  std::int64_t repeat = 1;  ///< elements per row; if variable, number of descriptors (0 or 1)
  std::int64_t text = 0;    ///< characters of one string, for type A; less than `repeat` if a row holds several strings
  std::int64_t begin = 0;   ///< offset of the column in a row, in bytes
  std::int64_t bytes = 0;   ///< length of the column in a row, in bytes
};

/// Returns the size of an element in bytes, by its TFORM letter; 0 for bits (X).
std::int64_t element_bytes(char type);

/// Returns a stored number by its TFORM letter (B I J K E D), rounded to a double; nothing for other types.
std::optional<double> load_number(char type, const std::byte* bytes);

/// Returns the columns of a binary table. Throws Error{input} if a TFORM is invalid, or if the columns together are
/// wider than a row. Error messages begin with `where`.
std::vector<BinaryColumn> binary_columns(const Header& header, const std::string& where);

/// Returns the value of TFORM that describes a column.
std::string form_of(const BinaryColumn& column);

/// Returns the column of that name, compared without regard to case, or nullptr if there is none.
const BinaryColumn* find_column(const std::vector<BinaryColumn>& columns, const std::string& name);

}  // namespace srcextract
