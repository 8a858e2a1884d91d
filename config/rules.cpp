#include "config/rules.hpp"

#include <algorithm>

#include "config/number_file.hpp"
#include "config/rules_fields.hpp"
#include "config/sections.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"

namespace srcextract {

using namespace config;  // for fail(), read_section(), format_value() and the like

namespace {

/// A pattern cut at its *: the text before and after; `star` is whether the pattern has a *.
struct Parts {
  std::string before, after;
  bool star;
};

Parts parts_of(const std::string& pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return {pattern, "", false};
  return {pattern.substr(0, star), pattern.substr(star + 1), true};
}

/// Whether a name matches a pattern. If `name` is a pattern too: whether `pattern` matches every name that `name`
/// matches.
bool fits(const std::string& name, const std::string& pattern) {
  const Parts parts = parts_of(pattern);
  if (!parts.star) return name == pattern;
  return name.size() >= parts.before.size() + parts.after.size() && name.starts_with(parts.before) &&
         name.ends_with(parts.after);
}

const ColumnRule* find_rule(const std::vector<ColumnRule>& rules, const std::string& column) {
  const auto found = std::ranges::find_if(rules, [&](const ColumnRule& rule) { return fits(column, rule.pattern); });
  return found == rules.end() ? nullptr : &*found;
}

void check_pattern(const std::string& pattern, const std::string& place) {
  if (std::ranges::count(pattern, '*') > 1) fail(place, "the pattern " + quoted(pattern) + " has more than one *");
}

std::string read_pattern(const YAML::Node& key, const Origin& origin) {
  std::string pattern;
  const Value value = to_value(key, origin, key.Mark());
  read_column(value, "columns.PATTERN", pattern);
  check_pattern(pattern, value.place);
  return pattern;
}

/// Throws Error{config} if keys of a rule contradict each other.
void check_together(const Draft<ColumnRule>& draft, const ColumnRule& built_in) {
  const ColumnRule& rule = draft.result;
  const std::string prefix = "columns." + rule.pattern + ".";
  const auto is_set = [&](const std::string& key) { return draft.set_at.contains(prefix + key); };
  const auto fail_at = [&](const std::string& key, const std::string& problem) {
    fail(draft.set_at.at(prefix + key), "'" + prefix + key + "' " + problem);
  };
  if (is_set("difference") && rule.difference == Difference::sigma && !is_set("error")) {
    fail_at("difference", "is sigma; say with 'error' which column has the standard error");
  }
  const bool numbers_set = is_set("bias") && is_set("tolerance");
  if (rule.difference != built_in.difference && has_size(rule.difference) && !numbers_set) {
    fail_at("difference", "is " + format_value(rule.difference) + ", and " + format_value(built_in.difference) +
                              " in the built-in rule, whose bias and tolerance would mean something else; give both");
  }
  if (!is_set("error")) return;
  check_pattern(rule.error, draft.set_at.at(prefix + "error"));
  if (parts_of(rule.error).star && !parts_of(rule.pattern).star) {
    fail_at("error", "has a *, and the pattern has none for which it could stand");
  }
}

ColumnRule read_rule(const YAML::Node& key, const YAML::Node& node, const ColumnRule& built_in, const Fields& known,
                     const Origin& origin) {
  const std::string pattern = read_pattern(key, origin);
  const auto read_onto = [&](const ColumnRule& start) {
    Draft<ColumnRule> draft(start);
    Fields all = known;
    for (const Field& field : draft.fields()) all.push_back(field);
    read_section(draft, all, "columns." + pattern, key.Mark(), node, origin);
    return draft;
  };
  ColumnRule start = built_in;
  start.pattern = pattern;
  start.error = error_column(built_in, pattern);
  Draft<ColumnRule> draft = read_onto(start);
  // A rule with another kind of difference cannot inherit the built-in rule's limits, which have another unit: such a
  // rule starts from ColumnRule's defaults.
  if (draft.result.difference != built_in.difference) draft = read_onto(ColumnRule{.pattern = pattern});
  check_limits(draft, origin.name);
  check_together(draft, built_in);
  return draft.result;
}

std::vector<ColumnRule> read_columns(const YAML::Node& node, const std::vector<ColumnRule>& built_in,
                                     const Fields& known, const YAML::Mark& mark, const Origin& origin) {
  check_section_holds(node, "columns", "patterns of names, as in 'FLUX_*': {tolerance: 0.05}", mark, origin);
  std::vector<ColumnRule> rules;
  for_each_entry(node, origin, " in 'columns'", [&](const YAML::Node& key, const YAML::Node& value) {
    const std::string place = origin.at(key.Mark());
    if (rules.size() == max_patterns) fail(place, "more than 1000 patterns; join those that share a rule with a *");
    if (const ColumnRule* earlier = find_rule(rules, key.Scalar())) {
      fail(place, "the pattern " + quoted(key.Scalar()) + " is never reached: all that fit it fit '" +
                      earlier->pattern + "' above, and the first that fits decides; put the narrower pattern first");
    }
    rules.push_back(read_rule(key, value, *find_rule(built_in, key.Scalar()), known, origin));
  });
  return rules;
}

std::string dump_rule(const ColumnRule& rule) {
  std::string text;
  Draft(rule).for_each_key([&](const Field& field, const Member& member) {
    if (field.no_use.empty()) text += (text.empty() ? "" : ", ") + field.key + ": " + member.text();
  });
  return "  " + format_value(rule.pattern) + ": {" + text + "}\n";
}

}  // namespace

CompareRules parse_rules(const std::string& yaml, const std::string& name) {
  const Origin origin{name, true};
  const std::vector<ColumnRule> built_in = default_rules().columns;
  Draft<CompareRules> draft;
  Fields known = draft.fields();
  for (const Field& field : Draft<ColumnRule>().fields()) known.push_back(field);
  std::vector<ColumnRule>& columns = draft.result.columns;
  for_each_section(yaml, known, origin, [&](const YAML::Node& section, const YAML::Node& node) {
    if (section.Scalar() == "columns") {
      columns = read_columns(node, built_in, known, section.Mark(), origin);
    } else {
      read_section(draft, known, section.Scalar(), section.Mark(), node, origin);
    }
  });
  check_limits(draft, name);
  for (const ColumnRule& rule : built_in) {
    if (find_rule(columns, rule.pattern) == nullptr) columns.push_back(rule);
  }
  return draft.result;
}

CompareRules load_rules(const std::string& path) {
  return parse_rules(read_file(path), path);
}

std::string dump_rules(const CompareRules& rules) {
  Draft draft(rules);
  std::string yaml = dump_sections(draft) + "columns:\n";
  for (const ColumnRule& rule : rules.columns) yaml += dump_rule(rule);
  return yaml;
}

const ColumnRule& rule_of(const CompareRules& rules, const std::string& column) {
  if (const ColumnRule* rule = find_rule(rules.columns, column)) return *rule;
  throw Error(ErrorKind::internal, "no rule for the column " + quoted(column) + ": rules end with one for *");
}

std::string error_column(const ColumnRule& rule, const std::string& column) {
  const Parts pattern = parts_of(rule.pattern);
  const Parts error = parts_of(rule.error);
  if (!error.star) return rule.error;
  return error.before +
         column.substr(pattern.before.size(), column.size() - pattern.before.size() - pattern.after.size()) +
         error.after;
}

}  // namespace srcextract
