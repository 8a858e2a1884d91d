#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/tables/table_file.hpp"
#include "io/votable/xml_reader.hpp"

namespace srcextract {

/// Data types of VOTable 1.4, section 2.1.
enum class VotableType {
  boolean,
  bit,
  unsigned_byte,
  short_integer,
  integer,
  long_integer,
  character,
  unicode_character,
  real,
  double_real,
  complex,
  double_complex,
};

/// The declaration of a FIELD. An array of numbers becomes one column per element. The following fields become no
/// column:
/// - complex numbers,
/// - arrays of several dimensions, and arrays of numbers of variable size,
/// - arrays of more than `largest_array` numbers, far more than any catalogue has apertures.
struct VotableField {
  static constexpr std::int64_t largest_array = 1000;

  ColumnHead head;
  VotableType type = VotableType::character;
  std::int64_t elements = 1;         ///< number of elements of a cell, if it is not variable
  bool variable = false;             ///< true if cells can have any number of elements
  int dimensions = 0;                ///< number of dimensions of an array; 0 for a single value
  std::optional<std::int64_t> null;  ///< integer that means a missing value

  bool is_text() const { return type == VotableType::character || type == VotableType::unicode_character; }

  bool is_complex() const { return type == VotableType::complex || type == VotableType::double_complex; }

  /// Returns the type for messages, such as "short" or "short of arraysize 3".
  std::string declaration() const;

  /// Number of catalogue columns made from this FIELD: 1 for text, else one for each element; 0 if the FIELD is not
  /// read (complex numbers, arrays of several dimensions, arrays of numbers of variable size or of more than
  /// largest_array elements).
  std::int64_t columns() const;

  /// Appends the descriptions of these columns.
  void append_heads(std::vector<ColumnHead>& heads) const;

  /// Bytes of `count` elements in BINARY and BINARY2.
  std::int64_t bytes(std::int64_t count) const;
};

/// Parses the attributes of a FIELD. Throws Error{input} with the current line of `xml`.
VotableField parse_field(const XmlAttributes& attributes, const XmlReader& xml);

/// Returns the integer that means a missing value, from the attributes of a VALUES element; nothing if it declares
/// none.
std::optional<std::int64_t> parse_null(const XmlAttributes& attributes);

/// Parses a decimal integer, or a hexadecimal integer after 0x. Returns nothing for other text.
std::optional<std::int64_t> parse_integer(std::string_view text);

inline constexpr std::string_view xml_space = " \t\r\n";

/// Returns the text without white space at both ends.
std::string_view without_xml_space(std::string_view text);

}  // namespace srcextract
