#include "regression/verdict/judge_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regression/columns/known_columns.hpp"
#include "regression/verdict/concentration.hpp"

namespace srcextract {
namespace {

/// If more than this fraction of the field's cells deviate, the whole field differs, and no single cell is reported.
constexpr double part_at_most = 0.3;
/// Trends and cells are reported only above this significance, even if both sides measured the same pixels.
constexpr double least_for_a_shape = 3;

/// A difference in words, in the unit of the rule's definition: "+1.000 ± 0.030 %", "-0.1000 ± 0.0020 pixel".
std::string in_words(const PairedColumn& column, double value, double error) {
  switch (column.rule->difference) {
    case Difference::relative:
      return with_error(100 * value, 100 * error) + " %";
    case Difference::sigma:
      return with_error(value, error) + " of " + column.rule->error;
    default:
      return with_error(value, error) + (column.unit.empty() ? "" : " " + column.unit);
  }
}

/// Whether noise explains that magnitudes became defined or undefined. Noise makes both happen equally often, for faint
/// sources.
bool is_noise(const PairedColumn& column, const ColumnComparison& result, double sigma) {
  if (!has_magnitudes(column.name) || result.values_lost == 0 || result.values_gained == 0) return false;
  const std::int64_t more = std::max(result.values_lost, result.values_gained);
  return sigma_of_count(more, result.values_lost + result.values_gained, 0.5) < sigma;
}

void judge_values(std::vector<ColumnFinding>& findings, const PairedColumn& column, const ColumnComparison& result,
                  const Matches& matches, double sigma) {
  if (!column.text.empty()) return findings.push_back({column.text, ""});
  if (is_noise(column, result, sigma)) return;
  if (result.values_lost > 0) {
    const std::int64_t first = matches.other[static_cast<std::size_t>(result.rows_without_value.front())] + 1;
    findings.push_back({fmt::format("no number (NaN) in {} of {} rows in which the reference has one, first in row {}",
                                    result.values_lost, result.pairs + result.values_lost, first),
                        ""});
  }
  if (result.values_gained > 0)
    findings.push_back(
        {fmt::format("a number in {} rows in which the reference has none (NaN)", result.values_gained), ""});
}

/// A value as text, with six significant digits, or with all digits if the texts would be equal although the values
/// differ.
std::string told_apart(double value, double other) {
  const std::string text = fmt::format("{:g}", value);
  return value != other && text == fmt::format("{:g}", other) ? fmt::format("{:.17g}", value) : text;
}

/// Returns `cause`, or an empty text if the cause cannot apply: only fluxes and magnitudes can show a non-linear
/// detector.
std::string cause_for(const PairedColumn& column, const std::string& cause) {
  const bool light = is_flux(column.name) || is_magnitude(column.name);
  return cause == bright_end_differs && !light ? "" : cause;
}

void judge_outliers(std::vector<ColumnFinding>& findings, const PairedColumn& column, const ColumnComparison& result,
                    double sigma) {
  const double allowed = column.rule->outliers * static_cast<double>(result.pairs);
  if (static_cast<double>(result.outliers) <= allowed) return;
  if (sigma_of_count(result.outliers, result.pairs, column.rule->outliers) < sigma) return;
  const Offender& worst = result.worst.front();
  const char* what = result.difference == Difference::equal ? "differ" : "are outliers";
  findings.push_back({fmt::format("{} of {} rows {} (allowed: {:g} %), the worst row {}: {}, reference {}{}",
                                  result.outliers, result.pairs, what, 100 * column.rule->outliers, worst.new_row,
                                  told_apart(worst.other, worst.reference), told_apart(worst.reference, worst.other),
                                  result.outliers_are.words),
                      cause_for(column, result.outliers_are.cause)});
}

/// Reports the dependence of the differences on brightness: a deviation of the bright end, or else a trend. Then
/// reports the dependence on position: a deviating cell of the field, or else trends in x and y.
void judge_shape(std::vector<ColumnFinding>& findings, const PairedColumn& column, const ColumnComparison& result,
                 const Division& field, Frame frame, double sigma) {
  const double bias = column.rule->bias;
  const auto counts = [&](const Trend& trend) { return trend.effect > bias && trend.significance >= sigma; };
  const Deviation& bright = result.bright_end;
  if (bright.significance >= sigma && std::abs(bright.deviation) > bias && bright.deviation != 0) {
    findings.push_back({fmt::format("{} at the bright end (the brightest {:.0f} %) against the rest",
                                    in_words(column, bright.deviation, bright.error), 100 * bright.share),
                        cause_for(column, bright_end_differs)});
  } else if (counts(result.with_flux)) {
    findings.push_back({fmt::format("runs with brightness: {} per factor of 10 in flux",
                                    in_words(column, result.with_flux.slope, result.with_flux.error)),
                        ""});
  }
  const double cells = static_cast<double>(field.side * field.side);
  if (!result.cells.empty() && static_cast<double>(result.cells.size()) <= part_at_most * cells) {
    const Deviation& cell = result.cells.front();
    findings.push_back({fmt::format("{} against the rest of the field at {}",
                                    in_words(column, cell.deviation, cell.error), place_in_words(cell.part, frame)),
                        part_differs});
    return;
  }
  for (const auto& [trend, axis] : {std::pair(&result.with_x, "x"), std::pair(&result.with_y, "y")}) {
    if (!counts(*trend)) continue;
    const double range = axis[0] == 'x' ? field.x.range : field.y.range;
    findings.push_back({fmt::format("runs across the field: {} from end to end along {}",
                                    in_words(column, trend->slope * range, trend->error * range), axis),
                        ""});
  }
}

}  // namespace

std::vector<ColumnFinding> judge_column(const PairedColumn& column, const ColumnComparison& result, const Pairs& pairs,
                                        double sigma) {
  std::vector<ColumnFinding> findings;
  judge_values(findings, column, result, pairs.matches, sigma);
  if (result.pairs == 0) return findings;
  const bool counted = result.difference == Difference::equal;
  if (!counted) {
    // A change of the whole column also causes trends and outliers, which are then not reported.
    if (const ColumnFinding why = explain_change(column, result.absolute, pairs.threads); !why.words.empty())
      return findings.push_back(why), findings;
    if (std::abs(result.location.mean) > column.rule->bias && result.location.significance >= sigma) {
      findings.push_back(explain_offset(column, result.location));
      if (!findings.back().cause.empty()) return findings;
    }
  }
  judge_outliers(findings, column, result, sigma);
  if (!counted) judge_shape(findings, column, result, pairs.field, pairs.frame, std::max(sigma, least_for_a_shape));
  return findings;
}

}  // namespace srcextract
