#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Type of the fields of a column: inferred from the fields (`any`), or declared by a header (the others).
enum class FieldType { any, boolean, integer, float32, float64, text };

/// Collects the fields of one column in the types of ColumnValues.
/// - Numbers are decimal in any locale, with an optional sign and an exponent after E or Fortran's D. `inf` and
///   `infinity` are numbers.
/// - Booleans become 1 and 0.
/// - Missing numbers are empty fields and nan, null, none, masked or --, in any case.
///
/// Integers stay exact. If one is missing and another exceeds 2^53, the column becomes text: doubles could make two
/// identifiers equal. Among fractions, integers count as measurements and are rounded.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(FieldType type = FieldType::any);

  /// Reserves memory for this many fields in all.
  void reserve(std::int64_t rows);

  /// Adds a field, without blanks around it. Returns false, and adds nothing, if the field has another type.
  bool add(std::string_view field);

  /// Adds a missing number, or empty text.
  void add_missing();

  /// Adds a binary number. add_integer_value is for `boolean` and `integer`, where the least 64-bit integer means
  /// missing; the other function is for `float32` and `float64`.
  void add_integer_value(std::int64_t value);
  void add_real_value(double value);

  std::int64_t size() const { return size_; }

  /// Bytes in memory after `more` further fields, including what finish() needs.
  std::int64_t bytes_with(std::int64_t more) const;

  /// Returns the column and ends the use of the builder. With only missing fields, `any`, `boolean` and `integer` give
  /// doubles. Nothing is returned for numbers mixed with text, and for integers beyond 64 bits: their spelling is lost,
  /// so read the fields again with FieldType::text.
  std::optional<ColumnValues> finish();

 private:
  bool add_number(std::string_view field);
  bool add_integer(std::string_view field);
  void add_text(std::string_view field);
  void push_integer(std::int64_t value);
  std::vector<double>& doubles();

  FieldType type_;
  ColumnValues values_;  ///< the least integer stands for a missing one
  std::int64_t size_ = 0;
  std::int64_t room_ = 0;
  std::int64_t long_text_ = 0;   ///< heap bytes of the strings
  bool only_empty_ = true;       ///< all fields were empty
  bool fraction_ = false;        ///< a field was a real number, or may be one
  bool beyond_64_bits_ = false;  ///< a field was an integer beyond 64 bits
  bool mixed_ = false;           ///< numbers were mixed with text; nothing more is kept
};

/// Makes a column of these integers in the narrowest type that holds all exactly; is_missing(i) tells whether value i
/// is missing.
template <class T, class IsMissing>
ColumnValues narrowest_integers(const std::vector<T>& values, const IsMissing& is_missing) {
  ColumnBuilder builder(FieldType::integer);
  builder.reserve(std::ssize(values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_missing(i)) {
      builder.add_missing();
    } else {
      builder.add_integer_value(static_cast<std::int64_t>(values[i]));
    }
  }
  return *builder.finish();
}

/// Makes a column of text from unsigned integers beyond the signed range, which no other type holds exactly. `bits` are
/// the integers; is_missing(i) tells whether integer i is missing.
template <class IsMissing>
ColumnValues spelt_unsigned(const std::vector<std::int64_t>& bits, const IsMissing& is_missing) {
  std::vector<std::string> text;
  text.reserve(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    text.push_back(is_missing(i) ? std::string() : std::to_string(static_cast<std::uint64_t>(bits[i])));
  return text;
}

}  // namespace srcextract
