#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "config/config.hpp"
#include "config/values.hpp"
#include "stages/settings/field.hpp"

namespace srcextract::documents {

// Functions for the Markdown tables of configuration keys in docs/.

/// The words for the type of one value ("number") and of several ("numbers").
struct TypeName {
  std::string one, several;
};

TypeName type_name(const config::Field& field, double);
TypeName type_name(const config::Field& field, std::int64_t);
TypeName type_name(const config::Field& field, bool);
TypeName type_name(const config::Field& field, const std::string&);
TypeName type_name(const config::Field& field, const HduNames&);
TypeName type_name(const config::Field& field, const std::map<std::string, std::string>&);
TypeName type_name(const config::Field& field, const FlagMapConfig&);
template <class Enum>
requires std::is_enum_v<Enum> TypeName type_name(const config::Field&, Enum) {
  return {"word", "words"};
}
template <class Item>
TypeName type_name(const config::Field& field, const std::vector<Item>&) {
  const std::string items = type_name(field, Item{}).several;
  return {"list of " + items, "lists of " + items};
}

/// The range of the values as text. Used unless Field::allowed describes the range in words.
std::string range_of(const config::Field& field, double);
std::string range_of(const config::Field& field, std::int64_t);
std::string range_of(const config::Field& field, bool);
std::string range_of(const config::Field& field, const std::string&);
std::string range_of(const config::Field& field, const HduNames&);
std::string range_of(const config::Field& field, const std::map<std::string, std::string>&);
std::string range_of(const config::Field& field, const FlagMapConfig&);
/// The words as Markdown code with commas: `a`, `b`.
std::string in_code(const std::vector<std::string>& words);
template <class Enum>
requires std::is_enum_v<Enum> std::string range_of(const config::Field&, Enum) {
  return in_code(names_of(Enum{}));
}
template <class Item>
std::string range_of(const config::Field& field, const std::vector<Item>&) {
  return range_of(field, Item{}) + (std::is_enum_v<Item> ? ", each at most once" : "");
}

/// Markdown tables of keys: for each section a heading, its description, and a table of three columns, which fits a
/// phone. Type and range of a key stand behind its meaning.
class KeyTables {
 public:
  /// Adds the row of a key. `default_value` is the text for the column of defaults.
  template <class Member>
  void add(const config::Field& field, const Member& member, const std::string& default_value) {
    const std::string range = field.allowed.empty() ? range_of(field, member) : field.allowed;
    add_row(field, type_name(field, member).one, range, default_value);
  }

  /// Adds all keys that for_each_field() declares for T. `t` contains the defaults, unless `instead_of_defaults` is the
  /// text for the column of defaults.
  template <class T>
  void add_all(const T& t, const std::string& instead_of_defaults = "") {
    for_each_field(t, [&](const config::Field& field, const auto& member) {
      add(field, member, instead_of_defaults.empty() ? in_code({config::format_value(member)}) : instead_of_defaults);
    });
  }

  const std::string& text() const { return text_; }

 private:
  void add_row(const config::Field& field, const std::string& type, const std::string& range,
               const std::string& default_value);

  std::string text_, section_;
};

/// The tables of all configuration keys for docs/configuration.md. In parentheses: the value of a configuration that
/// extends none, if it is another.
std::string config_table();
/// The tables of all keys of comparison rules for docs/regression.md.
std::string rules_table();

}  // namespace srcextract::documents
