#include "io/tables/column_builder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

/// The value that stands for a missing number until finish() is called: the least integer, or NaN.
template <class T>
constexpr T missing = std::numeric_limits<T>::min();
template <>
constexpr float missing<float> = std::numeric_limits<float>::quiet_NaN();
template <>
constexpr double missing<double> = std::numeric_limits<double>::quiet_NaN();

template <std::size_t N>
bool is_one_of(std::string_view field, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return equal_in_any_case(field, word); });
}

/// Removes a plus sign at the front, since std::from_chars accepts none.
std::string_view without_plus(std::string_view field) {
  const bool plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
  return field.substr(plus ? 1 : 0);
}

/// Sets `value` for a number out of range, for which std::from_chars returns no value: infinity if the number is too
/// large, 0 if it is too small.
void saturate(const std::string& field, double& value) {
  value = std::strtod(field.c_str(), nullptr);
}
void saturate(const std::string& field, float& value) {
  value = std::strtof(field.c_str(), nullptr);
}

template <class T>
bool parse_real(std::string_view field, T& value) {
  field = without_plus(field);
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (stop == end && error == std::errc()) return true;
  if (error == std::errc::invalid_argument) return false;
  if (stop == end) {
    saturate(std::string(field), value);
    return true;
  }
  if (small(*stop) != 'd') return false;
  std::string with_e(field);
  with_e[static_cast<std::size_t>(stop - field.data())] = 'e';
  return parse_real(with_e, value);
}

template <class From, class To>
std::vector<To> widened(const std::vector<From>& from, std::int64_t room) {
  std::vector<To> to;
  to.reserve(std::max(static_cast<std::size_t>(room), from.size() + 1));
  for (From value : from) to.push_back(value == missing<From> ? missing<To> : static_cast<To>(value));
  return to;
}

bool is_exact_in_double(std::int64_t value) {
  constexpr std::int64_t limit = std::int64_t{1} << std::numeric_limits<double>::digits;
  return (value >= -limit && value <= limit) || value == missing<std::int64_t>;
}

template <class T>
std::vector<std::string> spelt(const std::vector<T>& values) {
  std::vector<std::string> out;
  out.reserve(values.size());
  for (T value : values) out.push_back(value == missing<T> ? std::string() : std::to_string(value));
  return out;
}

/// Returns a column of integers, some of which may be missing, in the narrowest type that holds all of them exactly.
template <class T>
ColumnValues with_missing(std::vector<T> values) {
  const auto gaps = std::count(values.begin(), values.end(), missing<T>);
  if (gaps == 0 && !values.empty()) return values;
  if (std::all_of(values.begin(), values.end(), is_exact_in_double)) return widened<T, double>(values, 0);
  return spelt(values);
}

}  // namespace

ColumnBuilder::ColumnBuilder(FieldType type) : type_(type), fraction_(type == FieldType::float64) {
  if (type == FieldType::float32) values_ = std::vector<float>();
  if (type == FieldType::float64) values_ = std::vector<double>();
  if (type == FieldType::text) values_ = std::vector<std::string>();
}

void ColumnBuilder::reserve(std::int64_t rows) {
  room_ = rows;
  std::visit([rows](auto& values) { values.reserve(static_cast<std::size_t>(rows)); }, values_);
}

std::int64_t ColumnBuilder::bytes_with(std::int64_t more) const {
  return long_text_ + std::visit(
                          [more]<class T>(const std::vector<T>& values) {
                            const auto room = static_cast<std::int64_t>(values.capacity());
                            const bool grows = std::ssize(values) + more > room;
                            return std::max(grows ? 2 * room : room, more) * static_cast<std::int64_t>(sizeof(T));
                          },
                          values_);
}

bool ColumnBuilder::add(std::string_view field) {
  if (std::holds_alternative<std::vector<std::string>>(values_) || mixed_) {
    add_text(field);
    return true;
  }
  if (field.empty()) {
    add_missing();
    return true;
  }
  if (!add_number(field)) {
    static constexpr std::array<std::string_view, 5> missing_words = {"nan", "null", "none", "masked", "--"};
    if (is_one_of(field, missing_words)) {
      add_missing();
    } else if (type_ == FieldType::any) {
      add_text(field);
    } else {
      return false;
    }
  }
  only_empty_ = false;
  return true;
}

void ColumnBuilder::add_missing() {
  ++size_;
  if (mixed_) return;
  std::visit(
      []<class T>(std::vector<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
          values.emplace_back();
        } else {
          values.push_back(missing<T>);
        }
      },
      values_);
}

void ColumnBuilder::add_integer_value(std::int64_t value) {
  ++size_;
  push_integer(value);
}

void ColumnBuilder::add_real_value(double value) {
  ++size_;
  if (auto* floats = std::get_if<std::vector<float>>(&values_)) {
    floats->push_back(static_cast<float>(value));
  } else {
    doubles().push_back(value);
  }
}

void ColumnBuilder::add_text(std::string_view field) {
  ++size_;
  if (mixed_) return;
  if (!std::holds_alternative<std::vector<std::string>>(values_)) {
    if (!only_empty_) {
      mixed_ = true;
      values_ = std::vector<std::int32_t>();
      return;
    }
    std::vector<std::string> text;
    text.reserve(static_cast<std::size_t>(std::max(room_, size_)));
    text.resize(static_cast<std::size_t>(size_ - 1));
    values_ = std::move(text);
  }
  const std::string& text = std::get<std::vector<std::string>>(values_).emplace_back(field);
  if (text.capacity() > std::string().capacity()) long_text_ += static_cast<std::int64_t>(text.capacity()) + 16;
}

bool ColumnBuilder::add_number(std::string_view field) {
  if (auto* floats = std::get_if<std::vector<float>>(&values_)) {
    float value = 0;
    if (!parse_real(field, value)) return false;
    floats->push_back(value);
    ++size_;
    return true;
  }
  if (type_ == FieldType::boolean) {
    static constexpr std::array<std::string_view, 3> yes = {"true", "t", "1"}, no = {"false", "f", "0"};
    const bool is_true = is_one_of(field, yes);
    if (!is_true && !is_one_of(field, no)) return false;
    push_integer(is_true ? 1 : 0);
    ++size_;
    return true;
  }
  if (!fraction_ && add_integer(field)) return true;
  double value = 0;
  if (type_ == FieldType::integer || !parse_real(field, value)) return false;
  if (!fraction_ && std::isnan(value)) {  // NaN is a missing number, also among integers
    add_missing();
    return true;
  }
  fraction_ = true;
  doubles().push_back(value);
  ++size_;
  return true;
}

bool ColumnBuilder::add_integer(std::string_view field) {
  field = without_plus(field);
  const char* const end = field.data() + field.size();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc() && value != missing<std::int64_t>) {
    push_integer(value);
  } else {
    double rounded = 0;
    parse_real(field, rounded);
    doubles().push_back(rounded);
    beyond_64_bits_ = true;
  }
  ++size_;
  return true;
}

void ColumnBuilder::push_integer(std::int64_t value) {
  if (auto* narrow = std::get_if<std::vector<std::int32_t>>(&values_)) {
    if (std::in_range<std::int32_t>(value) && value != missing<std::int32_t>) {
      narrow->push_back(static_cast<std::int32_t>(value));
      return;
    }
    values_ = widened<std::int32_t, std::int64_t>(*narrow, room_);
  }
  if (auto* wide = std::get_if<std::vector<std::int64_t>>(&values_)) {
    wide->push_back(value);
  } else {
    doubles().push_back(static_cast<double>(value));
  }
}

std::vector<double>& ColumnBuilder::doubles() {
  if (auto* narrow = std::get_if<std::vector<std::int32_t>>(&values_)) {
    values_ = widened<std::int32_t, double>(*narrow, room_);
  } else if (auto* wide = std::get_if<std::vector<std::int64_t>>(&values_)) {
    values_ = widened<std::int64_t, double>(*wide, room_);
  }
  return std::get<std::vector<double>>(values_);
}

std::optional<ColumnValues> ColumnBuilder::finish() {
  if (mixed_ || (beyond_64_bits_ && !fraction_)) return std::nullopt;
  if (auto* narrow = std::get_if<std::vector<std::int32_t>>(&values_)) return with_missing(std::move(*narrow));
  if (auto* wide = std::get_if<std::vector<std::int64_t>>(&values_)) return with_missing(std::move(*wide));
  return std::move(values_);
}

}  // namespace srcextract
