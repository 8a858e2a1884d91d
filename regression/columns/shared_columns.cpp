#include "regression/columns/shared_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "regression/columns/known_columns.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

/// Two catalogues count as written by the same program if they share this fraction of the reference's columns, each
/// column under the same name in both files.
constexpr double same_program = 0.8;
constexpr std::size_t names_shown = 8;

std::string list(const std::vector<std::string>& names) {
  if (names.size() <= names_shown) return join(names);
  return fmt::format("{} and {} more", join({names.begin(), names.begin() + names_shown}), names.size() - names_shown);
}

void take_unit(SharedColumn& column, const std::string& reference, const std::string& other, bool same_name,
               const UnitFactor& unit_factor, SharedColumns& result) {
  column.unit = reference;
  // A file without units, such as CSV, contradicts no unit.
  if (reference.empty() || other.empty() || reference == other) return;
  const std::optional<double> factor = unit_factor(other, reference);
  if (factor == 1.0) return;
  if (factor) column.new_factor = *factor;
  // Columns with different names in the files may have different units: SExtractor's areas are in pixel**2, areas of
  // other programs are numbers of pixels.
  if (!same_name) return;
  result.findings.push_back(
      {column.name, fmt::format("the unit changed from {} to {}{}", reference, other,
                                factor ? "; the values are compared in " + reference : ", which is of another kind")});
}

void leave_out_flags(std::vector<SharedColumn>& shared, SharedColumns& result) {
  const auto is_flags = [](const SharedColumn& column) { return column.name.find("FLAGS") != std::string::npos; };
  if (std::erase_if(shared, is_flags) == 0) return;
  result.notes.push_back("FLAGS are not compared: these are catalogues of two programs, whose bits differ in meaning");
}

/// The column with the standard errors or variances of column `name`: that of the rule for the column, or else
/// SExtractor's.
std::string error_of(const std::string& name, const CompareRules& rules) {
  const ColumnRule& rule = rule_of(rules, name);
  return rule.error.empty() ? standard_error_of(name) : error_column(rule, name);
}

/// Whether the rule for a column can be applied. If not, throws Error{config} for a rule of the user's, or adds a note
/// for a built-in rule.
bool can_judge(const SharedColumn& column, const CompareRules& rules, SharedColumns& result) {
  const ColumnRule& rule = rule_of(rules, column.name);
  if (rule.difference != Difference::sigma || column.error) return true;
  const std::string needs = "in sigma of " + error_column(rule, column.name) + ", which the two do not share";
  const CompareRules built_in = default_rules();
  if (!(rule == rule_of(built_in, column.name)))
    throw Error(ErrorKind::config, "the rule for " + rule.pattern + " wants " + column.name + " " + needs +
                                       "; put a rule for " + column.name + " before it");
  result.notes.push_back(column.name + " is not compared: its rule is " + needs);
  return false;
}

void link(std::vector<SharedColumn>& shared, const CompareRules& rules) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < shared.size(); ++i) index.emplace(shared[i].name, i);
  const auto find = [&](const std::string& name) {
    const auto found = index.find(name);
    return found == index.end() ? std::nullopt : std::optional(found->second);
  };
  for (SharedColumn& column : shared) {
    column.error = find(error_of(column.name, rules));
    column.partner = find(partner_of(column.name));
  }
}

}  // namespace

SharedColumns share_columns(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor) {
  SharedColumns result;
  std::map<std::string, std::size_t> in_new;
  for (std::size_t i = 0; i < other.meanings.size(); ++i) in_new.emplace(other.meanings[i].name, i);
  std::vector<SharedColumn>& shared = result.columns;
  std::vector<std::string> missing, added;
  bool same_names = true;
  for (std::size_t i = 0; i < reference.meanings.size(); ++i) {
    const Meaning& meaning = reference.meanings[i];
    const auto found = in_new.find(meaning.name);
    if (found == in_new.end()) {
      missing.push_back(meaning.name);
      continue;
    }
    SharedColumn column{meaning.name, i, found->second, "", 1, {}, {}};
    const bool same_name = reference.columns[i] == other.columns[found->second];
    same_names = same_names && same_name;
    // A convention of the whole file, as SEP's radians, is part of the meaning, and already explains the unit.
    if (meaning.factor == 1 && other.meanings[found->second].factor == 1)
      take_unit(column, reference.units[i], other.units[found->second], same_name, unit_factor, result);
    shared.push_back(std::move(column));
    in_new.erase(found);
  }
  for (const Meaning& meaning : other.meanings) {
    if (in_new.count(meaning.name) != 0) added.push_back(meaning.name);
  }
  const bool one_program =
      same_names && static_cast<double>(shared.size()) >=
                        same_program * static_cast<double>(std::max<std::size_t>(reference.meanings.size(), 1));
  // A catalogue of another program would have columns that the reference lacks.
  const bool subset = same_names && added.empty();
  const bool fails = rules.sources.missing_columns == MissingColumns::fail ||
                     (rules.sources.missing_columns == MissingColumns::automatic && (one_program || subset));
  if (!missing.empty() && fails)
    result.findings.push_back({"columns", "the new catalogue does not have " + list(missing)});
  else if (!missing.empty())
    result.notes.push_back("only in the reference, not compared: " + list(missing));
  if (!added.empty()) result.notes.push_back("only in the new catalogue, not compared: " + list(added));
  if (!one_program) leave_out_flags(shared, result);
  link(shared, rules);
  const auto cannot = [&](const SharedColumn& column) { return !can_judge(column, rules, result); };
  if (std::erase_if(shared, cannot) > 0) link(shared, rules);  // the remaining columns have new indices
  return result;
}

}  // namespace srcextract
