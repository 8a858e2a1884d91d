#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stages/catalogue/declared_columns.hpp"

namespace srcextract {
namespace {

using NamesByName = std::map<std::string_view, std::vector<std::string_view>>;

NamesByName find_columns_that_need() {
  NamesByName columns;
  for (const DeclaredColumn& one : declared_columns())
    for (const std::string_view name : one.needs) columns[name].push_back(one.column.name);
  return columns;
}

NamesByName find_columns_of_families() {
  NamesByName columns;
  for (const DeclaredColumn& one : declared_columns())
    for (const std::string_view family : one.families) columns[family].push_back(one.column.name);
  return columns;
}

// Each map is made once, since many look-ups are made for every image. It is never destroyed, since a daemon thread of
// Python may use it while the process ends.

/// Maps the name of a column to the names of columns that are computed from it.
const NamesByName& columns_that_need() {
  static const auto& columns = *new NamesByName(find_columns_that_need());
  return columns;
}

/// Maps the name of a family to the names of columns that are computed from it.
const NamesByName& columns_of_families() {
  static const auto& columns = *new NamesByName(find_columns_of_families());
  return columns;
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The declared columns in the order of their names.
const std::vector<const DeclaredColumn*>& columns_by_name() {
  static const auto& sorted = *new std::vector<const DeclaredColumn*>([] {
    std::vector<const DeclaredColumn*> columns;
    for (const DeclaredColumn& one : declared_columns()) columns.push_back(&one);
    std::ranges::sort(columns, {}, [](const DeclaredColumn* one) { return std::string_view(one->column.name); });
    return columns;
  }());
  return sorted;
}

/// The words of output.columns that stand for several columns.
const std::vector<std::string>& all_groups() {
  static const auto& groups = *new std::vector<std::string>(column_groups());
  return groups;
}

}  // namespace

std::vector<std::string> column_groups() {
  std::vector<std::string> groups;
  for (const DeclaredColumn& one : declared_columns())
    if (!holds(groups, one.group)) groups.emplace_back(one.group);
  groups.emplace_back("all");
  return groups;
}

std::vector<std::string> column_names() {
  std::vector<std::string> names = column_groups();
  for (const bool usual : {true, false})
    for (const DeclaredColumn& one : declared_columns())
      if (one.is_usual() == usual) names.emplace_back(one.column.name);
  return names;
}

// The names are sorted: they are looked for many times in every image.
ColumnChoice::ColumnChoice(const std::vector<std::string>& asked) {
  std::vector<std::string_view> groups;
  for (const std::string& word : asked)
    if (holds(all_groups(), word)) groups.push_back(word);
  const bool all = std::ranges::find(groups, "all") != groups.end();
  if (!groups.empty())
    for (const DeclaredColumn* const one : columns_by_name())
      if (all || std::ranges::find(groups, one->group) != groups.end()) names_.emplace_back(one->column.name);
  for (const std::string& word : asked) {
    const auto place = std::ranges::lower_bound(names_, word);
    if (place == names_.end() || *place != word) names_.insert(place, word);
  }
}

bool ColumnChoice::has(std::string_view name) const {
  return std::ranges::binary_search(names_, name, {}, [](const std::string& one) { return std::string_view(one); });
}

bool ColumnChoice::fills(std::string_view name) const {
  if (has(name)) return true;
  const auto found = columns_that_need().find(name);
  return found != columns_that_need().end() &&
         std::ranges::any_of(found->second, [&](std::string_view column) { return has(column); });
}

bool ColumnChoice::needs(std::string_view family) const {
  const auto found = columns_of_families().find(family);
  return found != columns_of_families().end() &&
         std::ranges::any_of(found->second, [&](std::string_view column) { return fills(column); });
}

}  // namespace srcextract
