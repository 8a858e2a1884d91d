#include "regression/verdict/matched_table.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "regression/columns/passes.hpp"
#include "regression/verdict/pairing.hpp"

namespace srcextract {
namespace {

/// By row of the matched table: the row of one catalogue, from 0; -1: no row.
using Rows = std::vector<std::int64_t>;

/// The kind and the row numbers of each row of the matched table.
struct Layout {
  std::vector<std::string> match;
  Rows reference, other;

  void add(const char* what, std::int64_t reference_row, std::int64_t new_row) {
    match.emplace_back(what);
    reference.push_back(reference_row);
    other.push_back(new_row);
  }
};

/// The rows of one catalogue that are neither matched nor unmatched nor without a position, which are the duplicates.
Rows others(std::int64_t count, const Rows& matched, const Rows& unmatched, const Rows& nowhere) {
  std::vector<bool> known(static_cast<std::size_t>(count), false);
  for (const Rows* rows : {&matched, &unmatched, &nowhere}) {
    for (std::int64_t row : *rows) known[static_cast<std::size_t>(row)] = true;
  }
  Rows result;
  for (std::int64_t row = 0; row < count; ++row) {
    if (!known[static_cast<std::size_t>(row)]) result.push_back(row);
  }
  return result;
}

Layout lay_out(const Comparison& comparison) {
  const Matches& matches = comparison.matches;
  Layout layout;
  for (std::size_t i = 0; i < matches.reference.size(); ++i)
    layout.add("matched", matches.reference[i], matches.other[i]);
  for (std::int64_t row : matches.lost) layout.add("lost", row, -1);
  for (std::int64_t row : matches.gained) layout.add("gained", -1, row);
  const Rows &reference_nowhere = comparison.reference_nowhere, &new_nowhere = comparison.new_nowhere;
  for (std::int64_t row : others(comparison.sources.reference, matches.reference, matches.lost, reference_nowhere))
    layout.add("duplicate", row, -1);
  for (std::int64_t row : others(comparison.sources.other, matches.other, matches.gained, new_nowhere))
    layout.add("duplicate", -1, row);
  for (std::int64_t row : reference_nowhere) layout.add("nowhere", row, -1);
  for (std::int64_t row : new_nowhere) layout.add("nowhere", -1, row);
  return layout;
}

/// The values of a column in the given rows. A row of -1 gives NaN or an empty text, so integers may become doubles.
ColumnValues picked(const ColumnValues& values, const Rows& rows) {
  return std::visit(
      [&]<class T>(const std::vector<T>& column) -> ColumnValues {
        const auto pick = [&]<class Out>(Out missing) {
          std::vector<Out> out;
          out.reserve(rows.size());
          for (std::int64_t row : rows)
            out.push_back(row < 0 ? missing : static_cast<Out>(column[static_cast<std::size_t>(row)]));
          return out;
        };
        if constexpr (std::is_integral_v<T>) {
          if (std::ranges::count(rows, -1) > 0) return pick(not_known);
          return pick(T{0});
        } else if constexpr (std::is_floating_point_v<T>) {
          return pick(static_cast<T>(not_known));
        } else {
          return pick(T());
        }
      },
      values);
}

Table read_all(const Catalog& catalog) {
  std::vector<std::size_t> all(catalog.meanings.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return catalog.read(all);
}

struct Differences {
  std::string unit;
  std::vector<double> values;
};

/// The differences of every compared column, by the index of the column in the reference.
std::map<std::size_t, Differences> differences(const Catalog& reference, const Catalog& other,
                                               const Comparison& comparison, const CompareRules& rules,
                                               std::size_t rows) {
  constexpr std::size_t all_at_once = std::numeric_limits<std::size_t>::max();
  const ColumnPass pass = plan_passes(comparison.shared, rules, {}, all_at_once).front();
  const LoadedColumns loaded(reference, other, comparison.shared, pass, 1);
  std::map<std::size_t, Differences> result;
  for (std::size_t column : pass.compared) {
    const PairedColumn paired = pair_up(loaded, comparison.shared, column, rules, comparison.matches);
    auto& [unit, values] = result[comparison.shared[column].in_reference];
    if (paired.rule->difference == Difference::absolute) unit = paired.unit;
    if (paired.rule->difference == Difference::angle) unit = "deg";
    for (std::size_t i = 0; i < paired.reference.size(); ++i)
      values.push_back(difference_of(paired, i, paired.rule->difference));
    values.resize(rows, not_known);
  }
  return result;
}

void add(Table& table, const TableColumn& column, const char* suffix, ColumnValues values) {
  table.columns.push_back({column.name + suffix, column.unit, column.ucd, column.description, std::move(values)});
}

void add_columns(Table& table, const Catalog& reference, const Catalog& other, const Comparison& comparison,
                 const CompareRules& rules, const Rows& in_reference, const Rows& in_new) {
  std::map<std::size_t, std::size_t> new_of;
  std::set<std::size_t> only_new;
  for (std::size_t i = 0; i < other.meanings.size(); ++i) only_new.insert(i);
  for (const SharedColumn& column : comparison.shared) {
    new_of[column.in_reference] = column.in_new;
    only_new.erase(column.in_new);
  }
  const Table old_side = read_all(reference), new_side = read_all(other);
  auto difference = differences(reference, other, comparison, rules, in_reference.size());
  for (std::size_t i = 0; i < old_side.columns.size(); ++i) {
    const TableColumn& column = old_side.columns[i];
    add(table, column, "_REF", picked(column.values, in_reference));
    if (const auto found = new_of.find(i); found != new_of.end()) {
      const TableColumn& counterpart = new_side.columns[found->second];
      add(table, counterpart, "_NEW", picked(counterpart.values, in_new));
    }
    if (const auto found = difference.find(i); found != difference.end())
      table.columns.push_back({column.name + "_DIFF", found->second.unit, "", "Difference as the rules define it",
                               std::move(found->second.values)});
  }
  for (std::size_t i : only_new) add(table, new_side.columns[i], "_NEW", picked(new_side.columns[i].values, in_new));
}

}  // namespace

Table make_matched_table(const Catalog& reference, const Catalog& other, const Comparison& comparison,
                         const CompareRules& rules) {
  const Layout layout = lay_out(comparison);
  Table table;
  table.rows = static_cast<std::int64_t>(layout.match.size());
  const auto numbers = [](const Rows& rows) {
    Rows from_one = rows;
    for (std::int64_t& row : from_one) ++row;
    return from_one;
  };
  table.columns.push_back({"MATCH", "", "meta.code",
                           "matched, lost (in the reference alone), gained (new), duplicate (of another row), "
                           "nowhere (without a position)",
                           layout.match});
  table.columns.push_back(
      {"ROW_REF", "", "meta.record", "Row of the reference, from 1; 0: none", numbers(layout.reference)});
  table.columns.push_back(
      {"ROW_NEW", "", "meta.record", "Row of the new catalogue, from 1; 0: none", numbers(layout.other)});
  add_columns(table, reference, other, comparison, rules, layout.reference, layout.other);
  return table;
}

}  // namespace srcextract
