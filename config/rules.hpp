#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace srcextract {

enum class MatchBy { automatic, pixel, sky };
enum class RadiusUnit { automatic, pixel, arcsec, sigma };

/// How rows of the two catalogues are matched.
struct MatchRules {
  /// auto: by pixel where both sides have pixel positions, else by sky.
  MatchBy by = MatchBy::automatic;
  /// Rows further apart are different sources. Too large pairs neighbours; too small loses faint sources, whose
  /// positions scatter most.
  double radius = 1.5;
  /// pixel (by pixel), arcsec (by sky), auto (the unit of `by`), or sigma: position errors, which both catalogues must
  /// then have.
  RadiusUnit radius_unit = RadiusUnit::automatic;

  bool operator==(const MatchRules&) const = default;
};

enum class MissingColumns { automatic, fail, note };

/// Limits for lost and gained sources, as shares of the reference's rows.
struct SourceRules {
  /// Sources lost in excess of those gained. Two exposures of one field lose and gain alike at the detection limit.
  double lost = 0.005;
  /// Sources gained in excess of those lost.
  double gained = 0.005;
  /// Share of lost or gained sources far from the faint end, where noise only splits and joins neighbours.
  double bright = 0.1;
  /// Duplicated rows, in excess of those in the reference.
  double duplicated = 0.0;
  /// Whether columns that only the reference has count against the new catalogue. auto: they do if the two share most
  /// of their columns, as catalogues of one program do.
  MissingColumns missing_columns = MissingColumns::automatic;

  bool operator==(const SourceRules&) const = default;
};

enum class SamePixels { automatic, same, other };

/// Which differences are significant.
struct SignificanceRules {
  /// Probability that noise alone makes a comparison of two equal pipelines fail, divided among all its tests. 1 takes
  /// every difference beyond its tolerance for real. Larger values give more false alarms; smaller values need more
  /// sources to detect a difference.
  double false_alarm = 0.001;
  /// A row is an outlier if its difference exceeds this many times the scatter around it, and the column's tolerance.
  double outlier = 6.0;
  /// Whether both catalogues are of the same pixels, so that noise does not contribute to their difference. Then the
  /// tolerances alone decide, and the two values above are unused. auto: same if the positions agree to a thousandth of
  /// a pixel. Positions that were forced on another exposure agree as well: set `other`.
  SamePixels pixels = SamePixels::automatic;

  bool operator==(const SignificanceRules&) const = default;
};

enum class FirstPixel { automatic, zero, one };
enum class AngleUnit { automatic, degree, radian };

/// Properties of one side's catalogue that its column names do not tell, or tell wrongly.
struct SideRules {
  FirstPixel first_pixel = FirstPixel::automatic;  ///< the coordinate of the centre of the first pixel
  AngleUnit angles = AngleUnit::automatic;         ///< unit of position angles
  /// From a name in the report (X_IMAGE, FLUX_ISO, ...) to this side's name.
  std::map<std::string, std::string> columns;

  bool operator==(const SideRules&) const = default;
};

/// Definition of a column's difference.
enum class Difference {
  absolute,  ///< new - reference, in the column's unit
  relative,  ///< new - reference over the mean of their sizes
  sigma,     ///< new - reference over the root of the sum of the squared `error` columns
  angle,     ///< new - reference as position angles, in (-90, 90] degrees
  equal,     ///< equal or not: flags, counts
  ignore,    ///< the column is not compared
};

/// Tolerances for columns whose name matches a pattern.
struct ColumnRule {
  std::string pattern;  ///< a name, or a part with * for the rest: FLUX_*; the first matching rule decides
  Difference difference = Difference::absolute;
  /// Limit for the median, a trend from end to end, and a part of the image, in units of the difference.
  double bias = 0;
  /// Limit for a single row, besides SignificanceRules::outlier times the scatter.
  double tolerance = 0;
  /// The share of rows that may be outliers; for Difference::equal, that may differ.
  double outliers = 0.01;
  /// The column with the standard error (for Difference::sigma). A * in it stands for the text that matched the
  /// pattern's *.
  std::string error = {};

  bool operator==(const ColumnRule&) const = default;
};

/// Maximum number of patterns in a file: far more than a report needs; it bounds the cost of a wrong file.
inline constexpr std::size_t max_patterns = 1000;

/// All inputs of a verdict besides the two catalogues.
struct CompareRules {
  MatchRules match;
  SourceRules sources;
  SignificanceRules significance;
  SideRules reference, other;
  /// The file's rules, followed by built-in rules that the file's rules do not cover completely.
  std::vector<ColumnRule> columns;

  bool operator==(const CompareRules&) const = default;
};

/// Reads a YAML file as strictly as parse_config: Error{config} begins with `path:line:column:` and names the nearest
/// valid key. An empty file means all defaults. In YAML the sides are `reference:` and `new:`. Keys that a pattern's
/// rule omits are as in the built-in rule for that name.
CompareRules load_rules(const std::string& path);

/// As load_rules(), from text; `name` replaces the path in messages.
CompareRules parse_rules(const std::string& yaml, const std::string& name);

/// Returns the rules of config/compare.yaml, for a run that names no rules.
CompareRules default_rules();

/// Writes the rules as YAML, with every key that has a use. parse_rules reads it back to the same rules, whose dump is
/// the same text.
std::string dump_rules(const CompareRules& rules);

/// The first rule whose pattern matches a column's name in the report. Rules that were read always have a match for
/// every name.
const ColumnRule& rule_of(const CompareRules& rules, const std::string& column);

/// Name of the column with the standard error of `column`, as `rule` gives it; empty if the rule names none.
std::string error_column(const ColumnRule& rule, const std::string& column);

}  // namespace srcextract
