#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace srcextract::config {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// A section of a YAML file, and what its keys are about: a line for users.
struct Section {
  std::string name;
  std::string description;
};

/// What is known about one key of a YAML file besides its type and default, which the struct that it is read into
/// holds. The JSON schema and the table of keys in docs/ are made of this: texts for users are in Markdown, of which
/// the schema leaves out the `.
struct Field {
  Section section;
  std::string key;
  std::string description;  ///< for users, one line: meaning and unit
  // Limits of a number; a default member means that there is none. Those of the numbers in a list are for users alone:
  // `problem` has to check them.
  double above = -no_limit;
  double at_least = -no_limit;
  double at_most = no_limit;
  std::vector<std::int64_t> one_of = {};
  bool is_column = false;    ///< a text is the name of a column, or a pattern of names
  bool is_path = false;      ///< a text is the path of a file
  bool is_number = false;    ///< a text may be a number, beside what else it may be
  bool is_keyword = false;   ///< a text is a keyword of FITS
  std::string allowed = {};  ///< for users: the values that there may be, where type and limits do not tell all of it
  std::string why = {};      ///< why there is this limit, said after it in an error message
  std::string no_use = {};   ///< what other key makes this one meaningless, as in "difference is ignore"; or empty
  /// What is said of a value that others leave without use, as in "has no use but with deblend.clean true"; empty where
  /// it has one, or is the default.
  std::string unused = {};
  std::string problem = {};  ///< what is wrong with the value beside others, as in "needs weights"; or empty

  std::string path() const { return section.name + "." + key; }
};

using Fields = std::vector<Field>;

/// A T, or a const T: for_each_field hands out members to write as well as to read.
template <class Some, class T>
concept MaybeConst = std::same_as<std::remove_const_t<Some>, T>;

/// The keys that for_each_field declares for a T, with the limits that hold in this one.
template <class T>
Fields fields_of(const T& t) {
  Fields fields;
  for_each_field(t, [&](const Field& field, const auto&) { fields.push_back(field); });
  return fields;
}

}  // namespace srcextract::config
