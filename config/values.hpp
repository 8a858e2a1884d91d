#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "config/field.hpp"
#include "stages/core/hdu_names.hpp"

namespace srcextract::config {

/// A value as it stands in the file or on the command line.
struct Value {
  enum class Kind { empty, plain, quoted, list, map };
  Kind kind = Kind::empty;
  std::string text;          ///< of a plain or quoted scalar
  std::vector<Value> items;  ///< of a list
  std::string place;         ///< how messages about it begin: `path:line:column` or `--set key=value`
};

/// Whether a T is a map of keys, which for_each_field declares: the items of some lists are.
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

/// Text as messages quote it: in '', cut short if it is very long.
std::string quoted(const std::string& text);

/// Reads a value of the type that `out` has; throws Error{config} that calls it `name` if it is of another type. Limits
/// are not checked here. A number is decimal and finite, of YAML 1.2's core schema less leading zeros. A text is a
/// name of at most 68 printable ASCII characters, as FITS has it, or a whole number from 0; a name that does not begin
/// with a letter or that YAML may read as something else must be quoted.
void read_value(const Value& value, const std::string& name, double& out);
void read_value(const Value& value, const std::string& name, std::int64_t& out);
void read_value(const Value& value, const std::string& name, bool& out);
void read_value(const Value& value, const std::string& name, std::string& out);

/// The same for HDUs, one or a list of some: their patterns need no quotes, and neither does EXTNAME,EXTVER but in a
/// list.
void read_value(const Value& value, const std::string& name, HduNames& out);

/// The same for the name of a column, or a pattern of names: y, n and FLUX_* need no quotes.
void read_column(const Value& value, const std::string& name, std::string& out);

/// A path: any text without control characters; one that YAML may read as something else must be quoted.
void read_path(const Value& value, const std::string& name, std::string& out);

/// A path, or a number, which is kept as it was written: whatever is a number by its characters, quoted or not.
void read_number_or_path(const Value& value, const std::string& name, std::string& out);

/// The number that a text is, within the range of a double; nothing if it is none.
std::optional<double> number_in(const std::string& text);

/// Throws Error{config} unless the value is a list.
void require_list(const Value& value, const std::string& name);

/// A list of values, of lists or of paths; it may be empty.
template <class Item>
requires(!std::is_enum_v<Item>) void read_value(const Value& value, const std::string& name, std::vector<Item>& out) {
  require_list(value, name);
  out.clear();
  for (const Value& item : value.items) read_value(item, name, out.emplace_back());
}
void read_paths(const Value& value, const std::string& name, std::vector<std::string>& out);

/// Index in `words` of the word that a value is.
std::size_t read_word(const Value& value, const std::string& name, const std::vector<std::string>& words);
/// Indices in `words` of a list of different words, at least one unless there may be `none`.
std::vector<std::size_t> read_words(const Value& value, const std::string& name, const std::vector<std::string>& words,
                                    bool none);

template <class Enum>
requires std::is_enum_v<Enum>
void read_value(const Value& value, const std::string& name, Enum& out) {
  out = static_cast<Enum>(read_word(value, name, names_of(Enum{})));
}
/// Whether a list of such words may be empty: if there is a may_be_none(Enum) beside their names_of.
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

/// The YAML that read_value reads back as the same value. A double takes the fewest digits that do, and always a point.
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
