#include "regression/verdict/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "regression/columns/passes.hpp"
#include "regression/matching/match_catalogs.hpp"
#include "regression/statistics/spread.hpp"
#include "regression/verdict/alarm_levels.hpp"
#include "regression/verdict/concentration.hpp"
#include "regression/verdict/explain.hpp"
#include "regression/verdict/judge_column.hpp"
#include "regression/verdict/pairing.hpp"
#include "regression/verdict/sources_comparison.hpp"

namespace srcextract {
namespace {

/// Distance, in pixels or degrees, within which rows of one catalogue are duplicates of one source.
constexpr double same_place_pixel = 1e-3, same_place_sky = 1e-7;
/// Least significance, in sigma, of a deviating cell of the field in the results, whatever the rules say.
constexpr double least_for_a_part = 3;

/// Removes rows from the unmatched rows of one side.
void leave_out(std::vector<std::int64_t>& unmatched, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> rest;
  std::ranges::set_difference(unmatched, rows, std::back_inserter(rest));
  unmatched = std::move(rest);
}

std::vector<std::int64_t> rows_of(const std::vector<Duplicate>& duplicates) {
  std::vector<std::int64_t> rows;
  for (const Duplicate& duplicate : duplicates) rows.push_back(duplicate.row);
  return rows;
}

/// The state of a comparison: results for the sources, and data for comparing the columns.
class Comparing {
 public:
  Comparing(const std::vector<SharedColumn>& shared, const CompareRules& rules, AlarmLevels levels, int threads,
            Comparison& result)
      : shared_(shared), rules_(rules), levels_(levels), threads_(threads), result_(result) {}

  void sources(MatchedCatalogs matched);
  void columns(const LoadedColumns& loaded, const ColumnPass& pass);
  void report_columns();

 private:
  struct Judged {
    ColumnComparison comparison;
    std::vector<ColumnFinding> findings;
  };

  void report(const char* subject, std::string words) { result_.findings.push_back({subject, std::move(words)}); }
  void report_alignment(const Alignment& alignment);
  void divide(const PlacedRows& reference, const PlacedRows& other);

  const std::vector<SharedColumn>& shared_;
  const CompareRules& rules_;
  AlarmLevels levels_;
  int threads_;
  Comparison& result_;
  Division field_;
  std::vector<double> x_, y_, brightness_;  ///< position and brightness of each pair
  std::vector<double> sorted_brightness_;
  std::vector<Judged> judged_;
};

std::vector<double> at(const std::vector<double>& values, const std::vector<std::int64_t>& rows) {
  std::vector<double> result;
  result.reserve(rows.size());
  for (std::int64_t row : rows) result.push_back(values[static_cast<std::size_t>(row)]);
  return result;
}

void Comparing::report_alignment(const Alignment& alignment) {
  // A shift is no finding about all positions, since the columns of the position show the shift.
  if (alignment.change == Change::none || alignment.change == Change::shift) return;
  report("positions", explain_alignment(alignment, result_.frame) + "; the sources are matched with this undone");
}

void Comparing::sources(MatchedCatalogs matched) {
  const PlacedRows& reference = matched.reference;
  const PlacedRows& other = matched.other;
  result_.frame = matched.columns.frame;
  result_.radius = matched.columns.radius;
  result_.radius_in_sigma = !matched.columns.errors.empty();
  result_.alignment = matched.alignment;
  result_.same_image = rules_.significance.pixels == SamePixels::same ||
                       (rules_.significance.pixels == SamePixels::automatic && is_same_image(matched, threads_));
  // Without noise between two runs on the same pixels, every difference above the tolerance is real.
  if (result_.same_image) levels_.column = levels_.part = levels_.count = 0;

  const double same_place = result_.frame == Frame::pixel ? same_place_pixel : same_place_sky;
  const std::vector<Duplicate> before = find_duplicates(reference.positions, same_place, threads_);
  const std::vector<Duplicate> now = find_duplicates(other.positions, same_place, threads_);
  Matches& matches = result_.matches;
  matches = std::move(matched.matches);
  // Neither a duplicate nor a row without a position is a lost or gained source.
  result_.reference_nowhere = reference.nowhere();
  result_.new_nowhere = other.nowhere();
  leave_out(matches.lost, rows_of(before));
  leave_out(matches.gained, rows_of(now));
  leave_out(matches.lost, result_.reference_nowhere);
  leave_out(matches.gained, result_.new_nowhere);
  SourceComparison& sources = result_.sources;
  sources.reference = reference.positions.size();
  sources.other = other.positions.size();
  sources.matched = std::ssize(matches.reference);
  sources.lost = std::ssize(matches.lost);
  sources.gained = std::ssize(matches.gained);
  sources.reference_duplicates = std::ssize(before);
  sources.new_duplicates = std::ssize(now);
  sources.reference_nowhere = std::ssize(result_.reference_nowhere);
  sources.new_nowhere = std::ssize(result_.new_nowhere);

  divide(reference, other);
  report_alignment(matched.alignment);
  if (sources.new_nowhere > sources.reference_nowhere)
    report("positions",
           fmt::format("{} rows have none (NaN), {} in the reference", sources.new_nowhere, sources.reference_nowhere));
  if (sources.matched == 0 && sources.reference + sources.other > 0) {
    report("sources", fmt::format("none of the reference's {} and the new catalogue's {} are the same: nothing lies "
                                  "within the radius, nor does a shift, a flip or an exchange of the axes make it so",
                                  sources.reference, sources.other));
    return;
  }
  const std::vector<Finding> findings = judge_sources(reference, other, matches, before, now, field_, rules_.sources,
                                                      levels_, result_.same_image, threads_);
  result_.findings.insert(result_.findings.end(), findings.begin(), findings.end());
}

/// Divides the pairs by brightness and position.
void Comparing::divide(const PlacedRows& reference, const PlacedRows& other) {
  const Matches& matches = result_.matches;
  x_ = at(reference.positions.x, matches.reference);
  y_ = at(reference.positions.y, matches.reference);
  if (!reference.brightness.empty()) {
    brightness_ = at(reference.brightness, matches.reference);
    const std::vector<double> in_new = at(other.brightness, matches.other);
    // The mean brightness of both sides decides the bin of a pair. With the reference's brightness alone, noise would
    // move more pairs to one side than to the other. If one brightness is NaN, the other is used.
    for (std::size_t i = 0; i < brightness_.size(); ++i) {
      if (std::isnan(brightness_[i])) brightness_[i] = in_new[i];
      if (!std::isnan(in_new[i])) brightness_[i] = (brightness_[i] + in_new[i]) / 2;
    }
  }
  field_ = divide_pairs(brightness_, x_, y_);
  sorted_brightness_ = sorted(brightness_, threads_);
}

void Comparing::columns(const LoadedColumns& loaded, const ColumnPass& pass) {
  const double outlier = result_.same_image ? 0 : rules_.significance.outlier;
  // One column after the other, each on all threads, so that the pairs of only one column are in memory.
  for (const std::size_t compared : pass.compared) {
    const PairedColumn column = pair_up(loaded, shared_, compared, rules_, result_.matches);
    const Pairs pairs{.matches = result_.matches,
                      .field = field_,
                      .x = x_,
                      .y = y_,
                      .brightness = brightness_,
                      .sorted_brightness = sorted_brightness_,
                      .frame = result_.frame,
                      .threads = threads_};
    Judged& out = judged_.emplace_back();
    out.comparison = compare_column(column, pairs, outlier, std::max(levels_.part, least_for_a_part));
    out.findings = judge_column(column, out.comparison, pairs, levels_.column);
  }
}

/// Adds the findings of columns to the findings of the comparison. Findings with the same cause are reported once, for
/// the first column, with the names of the other columns.
void Comparing::report_columns() {
  std::vector<Finding> with_cause, others;
  std::vector<std::string> causes;
  std::vector<std::vector<std::string>> likewise;
  for (const Judged& judged : judged_) {
    for (const ColumnFinding& finding : judged.findings) {
      const std::string& name = judged.comparison.name;
      const auto known = std::find(causes.begin(), causes.end(), finding.cause);
      if (finding.cause.empty()) {
        others.push_back({name, finding.words});
      } else if (known == causes.end()) {
        causes.push_back(finding.cause);
        with_cause.push_back({name, finding.words + ": " + finding.cause});
        likewise.emplace_back();
      } else {
        likewise[static_cast<std::size_t>(known - causes.begin())].push_back(name);
      }
    }
    result_.columns.push_back(judged.comparison);
  }
  for (std::size_t i = 0; i < with_cause.size(); ++i) {
    if (!likewise[i].empty()) with_cause[i].words += fmt::format(" (likewise {})", fmt::join(likewise[i], ", "));
  }
  result_.findings.insert(result_.findings.end(), with_cause.begin(), with_cause.end());
  result_.findings.insert(result_.findings.end(), others.begin(), others.end());
}

/// Adds a note for each rule of the user that applies to no shared column: the rule is probably misspelt.
void note_unused_rules(const CompareRules& rules, Comparison& result) {
  const std::vector<ColumnRule> built_in = default_rules().columns;
  for (const ColumnRule& rule : rules.columns) {
    const auto is_its = [&](const SharedColumn& column) { return &rule_of(rules, column.name) == &rule; };
    const auto is_same = [&](const ColumnRule& other) { return other.pattern == rule.pattern; };
    if (std::any_of(built_in.begin(), built_in.end(), is_same)) continue;
    if (std::none_of(result.shared.begin(), result.shared.end(), is_its))
      result.notes.push_back("the rule for " + rule.pattern + " is no shared column's");
  }
}

/// Number of columns that can be in memory at the same time if values of both sides may take `memory` bytes; at least
/// 4.
std::size_t columns_at_once(const Catalog& reference, const Catalog& other, std::int64_t memory) {
  const std::int64_t rows = std::max<std::int64_t>(reference.expected_rows + other.expected_rows, 1);
  return static_cast<std::size_t>(
      std::max<std::int64_t>(memory / (rows * static_cast<std::int64_t>(sizeof(double))), 4));
}

}  // namespace

Comparison compare_catalogs(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor, int threads, std::int64_t memory) {
  Comparison result;
  SharedColumns in_both = share_columns(reference, other, rules, unit_factor);
  result.shared = std::move(in_both.columns);
  result.findings = std::move(in_both.findings);
  result.notes = std::move(in_both.notes);
  note_unused_rules(rules, result);
  const std::vector<SharedColumn>& shared = result.shared;
  const std::vector<PositionColumns> choices =
      choose_positions(shared, rules.match, reference.name + " and " + other.name);
  const std::optional<std::size_t> brightness = choose_brightness(shared);
  const AlarmLevels levels = share_out(rules.significance.false_alarm, shared.size());
  Comparing comparing(shared, rules, levels, threads, result);
  bool placed = false;
  for (const ColumnPass& pass :
       plan_passes(shared, rules, columns_of(choices, brightness), columns_at_once(reference, other, memory))) {
    const LoadedColumns loaded(reference, other, shared, pass, threads);
    if (!placed) comparing.sources(match_catalogs(choices, brightness, loaded, threads));
    placed = true;
    comparing.columns(loaded, pass);
  }
  comparing.report_columns();
  return result;
}

}  // namespace srcextract
