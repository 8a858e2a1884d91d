#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "stages/settings/number_lines.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract::config {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// A section of a YAML file, with a one-line description for users.
struct Section {
  std::string name;
  std::string description;
  std::string formerly = {};  ///< a former name; an error message answers it with the present name
};

/// Facts about one key of a YAML file. The key's type and default are in the struct that holds its value. The JSON
/// schema and the table of keys in docs/ are generated from these facts. Texts for users are Markdown; the schema omits
/// the backticks.
struct Field {
  Section section;
  std::string key;
  std::string description;  ///< for users, one line: meaning and unit
  // Limits of a number; the default values mean no limit. For a list, limits of its numbers are only shown to users:
  // `problem` must check them.
  double above = -no_limit;
  double at_least = -no_limit;
  double at_most = no_limit;
  std::vector<std::int64_t> one_of = {};
  bool is_column = false;         ///< the text is the name of a column, or a pattern of names
  bool is_path = false;           ///< text: the path of a file
  ReadNumbers numbers = nullptr;  ///< the path is of a text file; reads its numbers, which Resources keep
  ReadTables tables = nullptr;    ///< the path is of a FITS file; reads numbers of its tables, which Resources keep
  bool is_number = false;         ///< text: a number is also allowed
  bool is_keyword = false;        ///< text: a FITS keyword
  std::string allowed = {};       ///< for users: the allowed values, if type and limits do not describe them
  std::string why = {};           ///< the reason for the limits, which follows them in an error message
  std::string no_use = {};        ///< the setting that makes this key meaningless, as "difference is ignore"; or empty
  /// Error message if other keys make this one useless, as "has no use but with deblend.clean true". Empty if the key
  /// has a use, or its default value.
  std::string unused = {};
  std::string problem = {};  ///< its conflict with other values, as "needs weights"; empty: none

  std::string path() const { return section.name + "." + key; }
};

using Fields = std::vector<Field>;

/// A type that is T, const T or derived from T: for_each_field passes members for writing or for reading.
template <class Some, class T>
concept MaybeConst = std::derived_from<std::remove_const_t<Some>, T>;

/// The keys that for_each_field declares for a T, with the limits for the object `t`.
template <class T>
Fields fields_of(const T& t) {
  Fields fields;
  for_each_field(t, [&](const Field& field, const auto&) { fields.push_back(field); });
  return fields;
}

}  // namespace srcextract::config
