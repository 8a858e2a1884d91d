#include "config/checks.hpp"

#include <algorithm>
#include <vector>

#include "config/sextractor_keys.hpp"
#include "config/values.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/core/words.hpp"

namespace srcextract::config {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names sections(const Fields& fields) {
  Names names;
  for (const Field& field : fields) {
    if (!contains(names, field.section.name)) names.push_back(field.section.name);
  }
  return names;
}

Names keys_of(const Fields& fields, const std::string& section) {
  Names names;
  for (const Field& field : fields) {
    if (field.section.name == section) names.push_back(field.key);
  }
  return names;
}

Names sections_with(const Fields& fields, const std::string& key) {
  Names names;
  for (const Field& field : fields) {
    if (field.key == key) names.push_back(field.section.name);
  }
  return names;
}

/// Returns the end of a message about the unknown name `name`: the section that has a key of this name, the nearest
/// valid name, or `otherwise` followed by all valid names.
std::string advice(const Fields& fields, const std::string& name, const Names& valid, const std::string& otherwise) {
  if (const std::string sextractors = sextractor_key_advice(name); !sextractors.empty()) return "; " + sextractors;
  const Names homes = sections_with(fields, name);
  if (!homes.empty()) return "; it is a key of " + join(homes);
  const std::string near = nearest(name, valid);
  return near.empty() ? "; " + otherwise + " " + join(valid) : "; did you mean '" + near + "'?";
}

/// Returns the limit of `field` that `number` breaks, in words such as "at most 3"; empty if the number breaks no
/// limit.
std::string broken_limit(const Field& field, double number) {
  const auto equal = [&](std::int64_t value) { return static_cast<double>(value) == number; };
  if (!field.one_of.empty() && std::none_of(field.one_of.begin(), field.one_of.end(), equal)) {
    Names words;
    for (std::int64_t value : field.one_of) words.push_back(std::to_string(value));
    return "one of " + join(words);
  }
  if (number <= field.above) return "greater than " + shortest(field.above);
  if (number < field.at_least) return "at least " + shortest(field.at_least);
  if (number > field.at_most) return "at most " + shortest(field.at_most);
  return "";
}

}  // namespace

void check_section(const Fields& fields, const std::string& section, const std::string& place) {
  const Names valid = sections(fields);
  if (contains(valid, section)) return;
  for (const Field& field : fields)
    if (field.section.formerly == section)
      fail(place, "unknown section " + quoted(section) + "; it is called '" + field.section.name + "' now");
  fail(place, "unknown section " + quoted(section) + advice(fields, section, valid, "the sections are"));
}

void check_key(const Fields& fields, const std::string& section, const std::string& key, const std::string& place) {
  const Names valid = keys_of(fields, section);
  if (contains(valid, key)) return;
  fail(place, "unknown key " + quoted(key) + " in '" + section + "'" + advice(fields, key, valid, "its keys are"));
}

std::string keys_in(const Fields& fields, const std::string& section) {
  return join(keys_of(fields, section));
}

std::string all_sections(const Fields& fields) {
  return join(sections(fields));
}

void check_limit(const Field& field, double number, const std::string& place) {
  const std::string limit = broken_limit(field, number);
  if (limit.empty()) return;
  fail(place, "'" + field.path() + "' must be " + limit + ", not " + shortest(number) +
                  (field.why.empty() ? "" : "; " + field.why));
}

void check_use(const Field& field, const std::string& place) {
  if (!field.no_use.empty()) fail(place, "'" + field.path() + "' has no use where " + field.no_use + "; leave it out");
}

}  // namespace srcextract::config
