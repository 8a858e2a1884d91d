#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stages/catalogue/measured_columns.hpp"

namespace srcextract {
namespace {

/// The names of the columns that are written without a request.
std::vector<std::string> default_names() {
  Sources any;
  any.map_flags.emplace_back();
  any.analysed = any.deblended = any.has_sign = any.sky = true;
  std::vector<std::string> names;
  for_each_column(any, [&](const Column& column, const auto&) { names.emplace_back(column.name); });
  return names;
}

using NamesByName = std::map<std::string_view, std::vector<std::string_view>>;

NamesByName find_columns_that_need() {
  NamesByName columns;
  for (const MeasuredColumn& measured : measured_columns())
    for (const std::string_view name : measured.needs) columns[name].push_back(measured.column.name);
  return columns;
}

/// Maps the name of a column to the columns made of it. Cached, since every image asks for it often.
const NamesByName& columns_that_need() {
  // Never destroyed: a daemon thread of Python may be at work while the process ends.
  static const auto& columns = *new NamesByName(find_columns_that_need());
  return columns;
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::vector<std::string> column_groups() {
  std::vector<std::string> groups = {"default"};
  for (const MeasuredColumn& measured : measured_columns())
    if (!holds(groups, measured.group)) groups.emplace_back(measured.group);
  groups.emplace_back("all");
  return groups;
}

std::vector<std::string> column_names() {
  std::vector<std::string> names = column_groups();
  for (std::string& name : default_names()) names.push_back(std::move(name));
  for (const MeasuredColumn& measured : measured_columns()) names.emplace_back(measured.column.name);
  return names;
}

ColumnChoice::ColumnChoice(const std::vector<std::string>& asked) {
  const bool all = holds(asked, "all");
  if (all || holds(asked, "default")) names_ = default_names();
  for (const MeasuredColumn& measured : measured_columns())
    if (all || holds(asked, measured.group)) names_.emplace_back(measured.column.name);
  names_.insert(names_.end(), asked.begin(), asked.end());
}

bool ColumnChoice::has(std::string_view name) const {
  return holds(names_, name);
}

bool ColumnChoice::fills(std::string_view name) const {
  if (has(name)) return true;
  const auto found = columns_that_need().find(name);
  return found != columns_that_need().end() &&
         std::ranges::any_of(found->second, [&](std::string_view column) { return has(column); });
}

bool ColumnChoice::needs(std::string_view family) const {
  return std::ranges::any_of(measured_columns(), [&](const MeasuredColumn& measured) {
    return std::ranges::count(measured.families, family) > 0 && fills(measured.column.name);
  });
}

}  // namespace srcextract
