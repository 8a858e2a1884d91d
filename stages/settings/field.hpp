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

/// A section of the YAML configuration, with a one-line description for users.
struct Section {
  std::string name;
  std::string description;
  std::string formerly = {};  ///< a former name, or empty; error messages about that name give the present one
};

/// Facts about one key of the YAML configuration. The key's type and default are in the struct that holds its value.
/// The JSON schema and the table of keys in docs/ are generated from these facts. Descriptions are Markdown; the schema
/// omits the backticks.
struct Field {
  Section section;
  std::string key;
  std::string description;  ///< for users, one line: meaning and unit
  // Limits of a number; the default values mean no limit. If the value is a list of numbers, the limits are only shown
  // to users, and `problem` must check them.
  double above = -no_limit;
  double at_least = -no_limit;
  double at_most = no_limit;
  std::vector<std::int64_t> one_of = {};
  bool is_column = false;  ///< the text is the name of a column, or a pattern of names
  bool is_path = false;    ///< the text is the path of a file
  /// Reads the numbers from the text file of this path; Resources::files keeps the numbers. Null: the path is of
  /// another file.
  ReadNumbers numbers = nullptr;
  /// Reads numbers from the tables of the FITS file of this path; Resources::files keeps the numbers. Null: the path is
  /// of another file.
  ReadTables tables = nullptr;
  bool is_number = false;    ///< the text may be a number
  bool is_keyword = false;   ///< the text is a FITS keyword
  std::string allowed = {};  ///< for users: the allowed values, if type and limits do not describe them
  std::string why = {};      ///< the reason for the limits; an error message appends it
  std::string no_use = {};   ///< the setting that makes this key meaningless, such as "difference is ignore";
                             ///< empty: none
  /// Error message if the value differs from the default but other keys make this key useless, such as "has no use but
  /// with deblend.clean true". Empty: no error.
  std::string unused = {};
  std::string problem = {};  ///< conflict of the value with other keys, such as "needs weights"; empty: none

  std::string path() const { return section.name + "." + key; }
};

using Fields = std::vector<Field>;

/// A file that the value of a key names.
struct NamedFile {
  Field field;
  std::string path;
};

/// A type that is T, const T or derived from T. A caller of for_each_field passes a const object to read its members,
/// and another object to write them.
template <class Some, class T>
concept MaybeConst = std::derived_from<std::remove_const_t<Some>, T>;

}  // namespace srcextract::config
