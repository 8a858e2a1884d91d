#include "config/checks.hpp"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <vector>

#include "config/fields.hpp"
#include "config/suggest.hpp"
#include "config/values.hpp"

namespace srcextract {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names sections() {
  Names names;
  const Config config;
  for_each_field(config, [&](const Field& field, const auto&) {
    if (!contains(names, field.section)) names.push_back(field.section);
  });
  return names;
}

Names keys_of(const std::string& section) {
  Names names;
  const Config config;
  for_each_field(config, [&](const Field& field, const auto&) {
    if (field.section == section) names.push_back(field.key);
  });
  return names;
}

Names sections_with(const std::string& key) {
  Names names;
  const Config config;
  for_each_field(config, [&](const Field& field, const auto&) {
    if (field.key == key) names.push_back(field.section);
  });
  return names;
}

/// Ends an "unknown ..." message: where the name belongs, what was probably meant, or what there is.
std::string advice(const std::string& name, const Names& valid, const std::string& otherwise) {
  const Names homes = sections_with(name);
  if (!homes.empty()) return "; it is a key of " + join(homes);
  const std::string near = nearest(name, valid);
  return near.empty() ? "; " + otherwise + " " + join(valid) : "; did you mean '" + near + "'?";
}

/// A number as short as it can be written.
std::string shortest(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

/// The limit of `field` that a number breaks, in words; empty if none.
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

void check_section(const std::string& section, const std::string& where) {
  const Names valid = sections();
  if (contains(valid, section)) return;
  fail(where, "unknown section " + quoted(section) + advice(section, valid, "the sections are"));
}

void check_key(const std::string& section, const std::string& key, const std::string& where) {
  const Names valid = keys_of(section);
  if (contains(valid, key)) return;
  fail(where, "unknown key " + quoted(key) + " in '" + section + "'" + advice(key, valid, "its keys are"));
}

std::string keys_in(const std::string& section) {
  return join(keys_of(section));
}

std::string all_sections() {
  return join(sections());
}

void check_limits(const Config& config, const std::map<std::string, std::string>& set_at, const std::string& name) {
  for_each_field(config, [&](const Field& field, const auto& value) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      const double number = static_cast<double>(value);
      const std::string limit = broken_limit(field, number);
      if (limit.empty()) return;
      const auto found = set_at.find(field.path());
      fail(found == set_at.end() ? name : found->second, "'" + field.path() + "' must be " + limit + ", not " +
                                                             shortest(number) +
                                                             (field.why.empty() ? "" : "; " + field.why));
    }
  });
}

}  // namespace srcextract
