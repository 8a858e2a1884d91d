#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/tables/table_file.hpp"
#include "io/votable/xml_reader.hpp"

namespace srcextract {

/// The datatypes of VOTable 1.4, section 2.1.
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

/// The declaration of a field. An array of numbers becomes one column per element. No column is made of:
/// - complex numbers,
/// - arrays of variable size or of several dimensions,
/// - arrays of more than `largest_array` elements, which exceeds the apertures of any catalogue.
struct VotableField {
  static constexpr std::int64_t largest_array = 1000;

  ColumnHead head;
  VotableType type = VotableType::character;
  std::int64_t elements = 1;         ///< elements of a cell, unless variable
  bool variable = false;             ///< cells may have any number of elements
  int dimensions = 0;                ///< 0 for a scalar
  std::optional<std::int64_t> null;  ///< the integer that means missing

  bool is_text() const { return type == VotableType::character || type == VotableType::unicode_character; }

  bool is_complex() const { return type == VotableType::complex || type == VotableType::double_complex; }

  /// "short", or "short of arraysize 3".
  std::string declaration() const;

  /// Number of columns made of the FIELD.
  std::int64_t columns() const;

  /// Appends the heads of these columns.
  void append_heads(std::vector<ColumnHead>& heads) const;

  /// Bytes of `count` elements in BINARY and BINARY2.
  std::int64_t bytes(std::int64_t count) const;
};

/// Parses the attributes of a FIELD; `xml` locates errors.
VotableField parse_field(const XmlAttributes& attributes, const XmlReader& xml);

/// The null value for integers in the attributes of VALUES.
std::optional<std::int64_t> parse_null(const XmlAttributes& attributes);

/// Parses a decimal integer, or a hexadecimal one after 0x.
std::optional<std::int64_t> parse_integer(std::string_view text);

inline constexpr std::string_view xml_space = " \t\r\n";

/// The text without white space at its ends.
std::string_view without_xml_space(std::string_view text);

}  // namespace srcextract
