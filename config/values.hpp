#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "stages/core/hdu_names.hpp"
#include "stages/settings/field.hpp"

namespace srcextract::config {

/// A value as written in the file or on the command line.
struct Value {
  enum class Kind { empty, plain, quoted, list, map };
  Kind kind = Kind::empty;
  std::string text;          ///< the text of a plain or quoted scalar
  std::vector<Value> items;  ///< the items of a list
  std::string place;         ///< place for messages about the value: `path:line:column` or `--set key=value`
};

/// Whether T is a struct with a for_each_field, as the items of some lists are.
template <class T>
inline constexpr bool is_record = requires(T& t) {
  for_each_field(t, [](const Field&, auto&) {});
};
template <class T>
inline constexpr bool is_list_of_records = false;
template <class Item>
inline constexpr bool is_list_of_records<std::vector<Item>> = is_record<Item>;

/// Throws Error{config}: "place: problem".
[[noreturn]] void fail(const std::string& place, const std::string& problem);

/// Read a value into `out`. Throw Error{config}, in which `name` names the value, if the value has another type. Limits
/// are not checked. Numbers are decimal and finite, as in the core schema of YAML 1.2 but without leading zeros. A text
/// is a FITS name of 1 to 68 printable ASCII characters, or a whole number from 0. A name must be quoted if it does not
/// begin with a letter, has other characters than letters, digits, blanks, `_`, `-` and `.`, or if YAML may take the
/// name for another type. A whole number needs no quotes.
void read_value(const Value& value, const std::string& name, double& out);
void read_value(const Value& value, const std::string& name, std::int64_t& out);
void read_value(const Value& value, const std::string& name, bool& out);
void read_value(const Value& value, const std::string& name, std::string& out);

/// Reads one HDU or a list of HDUs. Patterns need no quotes; EXTNAME,EXTVER needs quotes only inside a list, where the
/// comma separates items.
void read_value(const Value& value, const std::string& name, HduNames& out);

/// Reads the name of a column, or a pattern of names. As an exception to the rules of read_value(), y, n and FLUX_*
/// need no quotes.
void read_column(const Value& value, const std::string& name, std::string& out);

/// Reads a path: any text without control characters. A path must be quoted if YAML may take it for another type, as
/// `true` or `1.5`; a whole number from 0 needs no quotes.
void read_path(const Value& value, const std::string& name, std::string& out);

/// Reads a path or a number; `out` is the text as written. A text that looks like a number is accepted with and without
/// quotes.
void read_number_or_path(const Value& value, const std::string& name, std::string& out);

/// Throws Error{config} unless the value is a list.
void require_list(const Value& value, const std::string& name);

/// Reads a list, which may be empty.
template <class Item>
requires(!std::is_enum_v<Item>) void read_value(const Value& value, const std::string& name, std::vector<Item>& out) {
  require_list(value, name);
  out.clear();
  for (const Value& item : value.items) read_value(item, name, out.emplace_back());
}
void read_paths(const Value& value, const std::string& name, std::vector<std::string>& out);

/// Returns the index in `words` of a value. Throws Error{config} if the value is none of the words.
std::size_t read_word(const Value& value, const std::string& name, const std::vector<std::string>& words);
/// Reads a list of different words and returns the index in `words` of each. Throws Error{config} for an empty list
/// unless `none`.
std::vector<std::size_t> read_words(const Value& value, const std::string& name, const std::vector<std::string>& words,
                                    bool none);

template <class Enum>
requires std::is_enum_v<Enum>
void read_value(const Value& value, const std::string& name, Enum& out) {
  out = static_cast<Enum>(read_word(value, name, names_of(Enum{})));
}
/// Whether a list of words for this Enum may be empty. An enumeration permits an empty list by declaring
/// may_be_none(Enum).
template <class Enum>
inline constexpr bool list_may_be_empty = requires {
  may_be_none(Enum{});
};

template <class Enum>
requires std::is_enum_v<Enum>
void read_value(const Value& value, const std::string& name, std::vector<Enum>& out) {
  out.clear();
  for (std::size_t i : read_words(value, name, names_of(Enum{}), list_may_be_empty<Enum>))
    out.push_back(static_cast<Enum>(i));
}

/// Return a value as YAML from which read_value() reads the same value. A double is written with the fewest digits that
/// give the same double, and always with a decimal point.
std::string format_value(double value);
std::string format_value(std::int64_t value);
std::string format_value(bool value);
std::string format_value(const std::string& value);
std::string format_value(const HduNames& value);
std::string format_value(const std::map<std::string, std::string>& names);

template <class Enum>
requires std::is_enum_v<Enum> std::string format_value(Enum value) {
  return names_of(value).at(static_cast<std::size_t>(value));
}
template <class Record>
requires is_record<Record> std::string format_value(const Record& record);
template <class Item>
std::string format_value(const std::vector<Item>& values) {
  std::string text;
  for (const Item& value : values) text += (text.empty() ? "" : ", ") + format_value(value);
  return "[" + text + "]";
}
template <class Record>
requires is_record<Record> std::string format_value(const Record& record) {
  std::string text;
  for_each_field(record, [&](const Field& field, const auto& value) {
    text += (text.empty() ? "" : ", ") + field.key + ": " + format_value(value);
  });
  return "{" + text + "}";
}

}  // namespace srcextract::config
