#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stages/catalogue/table.hpp"

namespace srcextract {

/// What the fields of a column say. With `any` the fields themselves tell, the others are what a header declares.
enum class FieldType { any, boolean, integer, float32, float64, text };

/// Collects the fields of one column and keeps them as ColumnValues says. Numbers are decimal, in no one's locale, with
/// a sign or without, their exponent after E or Fortran's D; booleans become 1 and 0. An empty field, and nan, null,
/// none, masked, -- in any case, is a missing number; `inf` and `infinity` are numbers.
///
/// Integers are kept exactly: where one is missing and another is beyond 2^53 the column becomes text, since doubles
/// would make two names one. Among fractions they are measurements, and rounded as those are.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(FieldType type = FieldType::any);

  /// Makes room for this many fields in all.
  void reserve(std::int64_t rows);

  /// False, and nothing is added, if the field is not of the type. Blanks around it are the caller's to remove.
  bool add(std::string_view field);

  /// The same as an empty field: a missing number, or empty text.
  void add_missing();

  /// Fields that are numbers already: an integer for `boolean` and `integer`, of which the least of 64 bits is a
  /// missing one; a real number for `float32` and `float64`.
  void add_integer_value(std::int64_t value);
  void add_real_value(double value);

  std::int64_t size() const { return size_; }

  /// The bytes that it takes when `more` fields have been added, which may be the last.
  std::int64_t bytes_with(std::int64_t more) const;

  /// The column; the builder is not to be used afterwards. `any`, `boolean` and `integer` with nothing but missing ones
  /// give doubles. None if the fields were numbers and text, or integers of which one is beyond 64 bits: how they
  /// were spelt is gone by then, so read them again with FieldType::text.
  std::optional<ColumnValues> finish();

 private:
  bool add_number(std::string_view field);
  bool add_integer(std::string_view field);
  void add_text(std::string_view field);
  void push_integer(std::int64_t value);
  std::vector<double>& doubles();

  FieldType type_;
  ColumnValues values_;  ///< among integers the least of their type stands for a missing one
  std::int64_t size_ = 0;
  std::int64_t room_ = 0;
  std::int64_t long_text_ = 0;   ///< bytes of text that std::string keeps elsewhere
  bool only_empty_ = true;       ///< no field had a character
  bool fraction_ = false;        ///< one was a number and no integer, or may be
  bool beyond_64_bits_ = false;  ///< one was an integer that long
  bool mixed_ = false;           ///< there were numbers and text; no more is kept
};

}  // namespace srcextract
