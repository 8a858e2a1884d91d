#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Type of the fields of a column: `any` if it is to be found from the fields, the other values if a header declares
/// it.
enum class FieldType { any, boolean, integer, float32, float64, text };

/// Collects the fields of one column, and finds the type among those of ColumnValues that fits all fields.
/// - Numbers have a decimal point in any locale, and may have a sign and an exponent after E or Fortran's D. `inf` and
/// `infinity` are numbers.
/// - In a column declared `boolean`, booleans become 1 and 0; else true and false are text.
/// - In a column of numbers an empty field is a missing number, as are nan, null, none, masked and --, without regard
/// to case.
///
/// Integers stay exact. A column with a missing integer and an integer beyond 2^53 becomes text, because as doubles two
/// different identifiers could become equal. In a column that has fractions too, integers are taken for measurements
/// and rounded to doubles.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(FieldType type = FieldType::any);

  /// Allocates memory for `rows` fields in all.
  void reserve(std::int64_t rows);

  /// Adds a field, which must have no blanks around it. Returns false, and adds nothing, if the field does not fit the
  /// declared type.
  bool add(std::string_view field);

  /// Adds a missing number, or an empty text in a column of text.
  void add_missing();

  /// Add a number. add_integer_value() is only for columns declared `boolean` or `integer`, and takes the least 64-bit
  /// integer for a missing number. add_real_value() is only for `float32` and `float64`.
  void add_integer_value(std::int64_t value);
  void add_real_value(double value);

  std::int64_t size() const { return size_; }

  /// Bytes of memory that the column needs with `more` further fields, including the growth of the vector.
  std::int64_t bytes_with(std::int64_t more) const;

  /// Returns the column; the builder cannot be used afterwards. If all fields are missing, a column of `any`, `boolean`
  /// or `integer` becomes one of doubles. Returns nothing if numbers are mixed with text, or if integers exceed 64 bits
  /// in a column without real numbers. Then the original fields are lost, and the caller must read them again with
  /// FieldType::text.
  std::optional<ColumnValues> finish();

 private:
  bool add_number(std::string_view field);
  bool add_integer(std::string_view field);
  void add_text(std::string_view field);
  void push_integer(std::int64_t value);
  std::vector<double>& doubles();

  FieldType type_;
  ColumnValues values_;  ///< the least integer stands for a missing number
  std::int64_t size_ = 0;
  std::int64_t room_ = 0;
  std::int64_t long_text_ = 0;   ///< bytes that strings allocate besides the vector
  bool only_empty_ = true;       ///< true if no field so far was anything but empty
  bool fraction_ = false;        ///< a field was a real number, or the column is declared float64
  bool beyond_64_bits_ = false;  ///< a field was an integer beyond 64 bits
  bool mixed_ = false;           ///< numbers and text are mixed; values are no longer stored
};

/// Returns a column of these integers in the narrowest type that holds all of them exactly. is_missing(i) tells whether
/// value i is missing.
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

/// Returns unsigned 64-bit integers as a column of text, for columns in which some integers exceed the signed range. No
/// numeric column type holds those exactly. `bits` are the bit patterns of the integers; is_missing(i) tells whether
/// integer i is missing.
template <class IsMissing>
ColumnValues spelt_unsigned(const std::vector<std::int64_t>& bits, const IsMissing& is_missing) {
  std::vector<std::string> text;
  text.reserve(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    text.push_back(is_missing(i) ? std::string() : std::to_string(static_cast<std::uint64_t>(bits[i])));
  return text;
}

}  // namespace srcextract
