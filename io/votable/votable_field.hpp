#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/tables/table.hpp"
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

/// What a FIELD says about a cell of every row. An array of numbers becomes a column for each of its elements. Left
/// out, and without a column, are complex numbers and arrays that have no fixed size, more than one dimension, or more
/// elements than the apertures of a catalogue: `largest_array`.
struct VotableField {
  static constexpr std::int64_t largest_array = 1000;

  ColumnHead head;
  VotableType type = VotableType::character;
  std::int64_t elements = 1;         ///< in a cell, if `variable` is false
  bool variable = false;             ///< a cell may have any number of elements
  int dimensions = 0;                ///< 0 of a scalar
  std::optional<std::int64_t> null;  ///< the integer that stands for a missing one

  bool is_text() const { return type == VotableType::character || type == VotableType::unicode_character; }

  bool is_complex() const { return type == VotableType::complex || type == VotableType::double_complex; }

  /// "short", or "short of arraysize 3".
  std::string declaration() const;

  /// How many columns this is.
  std::int64_t columns() const;

  /// Appends them.
  void append_heads(std::vector<ColumnHead>& heads) const;

  /// How many bytes so many elements take in BINARY and BINARY2.
  std::int64_t bytes(std::int64_t count) const;
};

/// The FIELD of these attributes; `xml`, which is there, tells where an error is.
VotableField parse_field(const XmlAttributes& attributes, const XmlReader& xml);

/// The null value that VALUES declares for integers.
std::optional<std::int64_t> parse_null(const XmlAttributes& attributes);

/// A decimal or, after 0x, hexadecimal integer.
std::optional<std::int64_t> parse_integer(std::string_view text);

inline constexpr std::string_view xml_space = " \t\r\n";

/// Without white space at both ends.
std::string_view without_xml_space(std::string_view text);

}  // namespace srcextract
