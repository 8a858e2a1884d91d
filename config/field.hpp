#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace srcextract {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// What is known about one key of a YAML file besides its type and default, which the struct that it is read into
/// holds.
struct Field {
  std::string section;
  std::string key;
  std::string description;  ///< one line: meaning and unit
  // Limits of a number; a default member means that there is none.
  double above = -no_limit;
  double at_least = -no_limit;
  double at_most = no_limit;
  std::vector<std::int64_t> one_of = {};
  bool is_column = false;   ///< a text is the name of a column, or a pattern of names
  bool is_path = false;     ///< a text is the path of a file
  std::string why = {};     ///< why there is this limit, said after it in an error message
  std::string no_use = {};  ///< what other key makes this one meaningless, as in "difference is ignore"; empty if none
  std::string problem =
      {};  ///< what is wrong with the value, or with others beside it, as in "needs weights"; empty if nothing

  std::string path() const { return section + "." + key; }
};

using Fields = std::vector<Field>;

/// The keys that for_each_field declares for a T, with the limits that hold in this one.
template <class T>
Fields fields_of(const T& t) {
  Fields fields;
  for_each_field(t, [&](const Field& field, const auto&) { fields.push_back(field); });
  return fields;
}

}  // namespace srcextract
