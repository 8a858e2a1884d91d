#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace srcextract {

enum class MatchBy { automatic, pixel, sky };
enum class RadiusUnit { automatic, pixel, arcsec, sigma };

/// Which rows of the two catalogues are one source.
struct MatchRules {
  /// auto: by pixel where both sides have pixel positions, else by sky.
  MatchBy by = MatchBy::automatic;
  /// Two rows further apart than this are two sources. Too large pairs neighbours; too small loses faint sources, whose
  /// positions scatter most.
  double radius = 1.5;
  /// pixel (by pixel), arcsec (by sky), auto (the one that fits), or sigma: of the positions' errors, which both
  /// catalogues must then have.
  RadiusUnit radius_unit = RadiusUnit::automatic;

  bool operator==(const MatchRules&) const = default;
};

enum class MissingColumns { automatic, fail, note };

/// How many sources may come and go, as shares of the reference's rows.
struct SourceRules {
  /// Sources lost in excess of those gained. Two exposures of one field lose and gain alike at the detection limit.
  double lost = 0.005;
  /// Sources gained in excess of those lost.
  double gained = 0.005;
  /// Lost or gained among those that are far from the faint end, where noise only splits and joins neighbours.
  double bright = 0.1;
  /// Rows that stand twice, more than in the reference.
  double duplicated = 0.0;
  /// Columns that the reference has and the new catalogue has not: a reason against it, or not. auto: a reason if the
  /// two share most of their columns, as the catalogues of one program do.
  MissingColumns missing_columns = MissingColumns::automatic;

  bool operator==(const SourceRules&) const = default;
};

enum class SamePixels { automatic, same, other };

/// When a difference counts.
struct SignificanceRules {
  /// The probability that noise alone, of two equal pipelines, makes a comparison fail; shared out among all its tests.
  /// 1 takes every difference beyond its tolerance for real. Larger cries wolf; smaller needs more sources to see what
  /// is there.
  double false_alarm = 0.001;
  /// In units of the scatter around it, a row beyond this (and beyond the column's tolerance) is an outlier.
  double outlier = 6.0;
  /// Whether both catalogues are of the same pixels, so that noise has no part in their difference: the tolerances
  /// alone decide then, and neither of the two above. auto: if the positions agree to a thousandth of a pixel.
  /// Positions that were forced on another exposure agree as well: say `other`.
  SamePixels pixels = SamePixels::automatic;

  bool operator==(const SignificanceRules&) const = default;
};

enum class FirstPixel { automatic, zero, one };
enum class AngleUnit { automatic, degree, radian };

/// What cannot be known from the names of a side's columns, or is to be taken otherwise.
struct SideRules {
  FirstPixel first_pixel = FirstPixel::automatic;  ///< the coordinate of the centre of the first pixel
  AngleUnit angles = AngleUnit::automatic;         ///< of position angles
  /// From a name that the report uses (X_IMAGE, FLUX_ISO, ...) to the name that this side has for it.
  std::map<std::string, std::string> columns;

  bool operator==(const SideRules&) const = default;
};

/// What the difference of a column is.
enum class Difference {
  absolute,  ///< new - reference, in the column's unit
  relative,  ///< new - reference over the mean of their sizes
  sigma,     ///< new - reference over the root of the sum of the squared `error` columns
  angle,     ///< new - reference as position angles, in (-90, 90] degrees
  equal,     ///< equal or not: flags, counts
  ignore,    ///< the column is not compared
};

/// What is tolerated in the columns whose name fits a pattern.
struct ColumnRule {
  std::string pattern;  ///< a name, or part of one with * for the rest: FLUX_*; the first rule that fits decides
  Difference difference = Difference::absolute;
  /// For the median, a trend from end to end, a part of the image: of the difference as defined.
  double bias = 0;
  /// For a single row, besides SignificanceRules::outlier times the scatter.
  double tolerance = 0;
  /// The share of rows that may be outliers; of Difference::equal, that may differ.
  double outliers = 0.01;
  /// The column with the standard error (of Difference::sigma); * stands for what it stood for in the pattern.
  std::string error = {};

  bool operator==(const ColumnRule&) const = default;
};

/// The most patterns that a file may have: far more than a report needs; it bounds what a wrong file can cost.
inline constexpr std::size_t max_patterns = 1000;

/// Everything that a verdict depends on besides the two catalogues.
struct CompareRules {
  MatchRules match;
  SourceRules sources;
  SignificanceRules significance;
  SideRules reference, other;
  /// The file's, then those of the built-in ones that the file's leave any name to.
  std::vector<ColumnRule> columns;

  bool operator==(const CompareRules&) const = default;
};

/// Reads a YAML file as strictly as parse_config does its own: Error{config} that begins `path:line:column:` and names
/// the nearest valid key. An empty file is all defaults. In YAML the sides are `reference:` and `new:`. What the rule
/// of a pattern leaves out is as in the built-in rule for that name.
CompareRules load_rules(const std::string& path);

/// The same from text; `name` stands for the path in messages.
CompareRules parse_rules(const std::string& yaml, const std::string& name);

/// The rules of config/compare.yaml, which a run without RULES goes by.
CompareRules default_rules();

/// As YAML, every key present that has a use; parse_rules reads it back to the same rules and the same text.
std::string dump_rules(const CompareRules& rules);

/// The rule of a column, by its name in the report: the first that fits. Every name fits one of those that were read.
const ColumnRule& rule_of(const CompareRules& rules, const std::string& column);

/// The name of the column with the standard error of `column`, which fits the rule; empty if the rule names none.
std::string error_column(const ColumnRule& rule, const std::string& column);

}  // namespace srcextract
