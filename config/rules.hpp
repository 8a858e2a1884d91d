#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace srcextract {

enum class MatchBy { automatic, pixel, sky };
enum class RadiusUnit { automatic, pixel, arcsec, sigma };

/// How a comparison of two catalogues matches rows of the new catalogue to rows of the reference catalogue.
struct MatchRules {
  /// automatic: by pixel positions if both catalogues have them, else by sky positions.
  MatchBy by = MatchBy::automatic;
  /// Largest distance of matching rows, in `radius_unit`. Too large a radius pairs neighbours; too small a radius
  /// misses faint sources, whose positions scatter most.
  double radius = 1.5;
  /// pixel (only if matched by pixel), arcsec (only if matched by sky), automatic (pixel or arcsec, as rows are
  /// matched), or sigma. sigma: standard errors of the positions, which both catalogues must then contain.
  RadiusUnit radius_unit = RadiusUnit::automatic;

  bool operator==(const MatchRules&) const = default;
};

enum class MissingColumns { automatic, fail, note };

/// Limits on sources that only one of the two catalogues has, and on duplicated rows. All limits but `bright` are
/// fractions of the number of rows in the reference.
struct SourceRules {
  /// Largest fraction of lost sources (in the reference only) minus gained sources (in the new catalogue only). The
  /// difference counts because two exposures of one field lose and gain equally many sources at the detection limit. If
  /// both catalogues are of the same pixels, lost sources count in full. So do gained sources for `gained`.
  double lost = 0.005;
  /// Largest fraction of gained sources minus lost sources.
  double gained = 0.005;
  /// Largest number of lost or gained sources far above the detection limit, as a fraction of such sources in the
  /// reference. Noise loses or gains bright sources only by splitting and joining neighbours.
  double bright = 0.1;
  /// Largest number of duplicated rows in the new catalogue, minus the number of duplicated rows in the reference.
  double duplicated = 0.0;
  /// Whether columns that only the reference has count against the new catalogue (fail) or are only reported (note).
  /// automatic: note if a shared column has different names in the two catalogues. Else fail if four fifths of the
  /// reference's columns are shared, or if the new catalogue has no column that the reference lacks.
  MissingColumns missing_columns = MissingColumns::automatic;

  bool operator==(const SourceRules&) const = default;
};

enum class SamePixels { automatic, same, other };

/// Settings that decide which differences between two catalogues count as real.
struct SignificanceRules {
  /// Probability that noise alone makes a comparison of two equal pipelines fail, divided among all tests of the
  /// comparison. With 1, every difference beyond its tolerance counts. Larger values give more false alarms; smaller
  /// values need more sources to detect a difference.
  double false_alarm = 0.001;
  /// A row is an outlier if its difference is too far from the median difference of rows of similar brightness. The
  /// distance must exceed both the column's tolerance and this multiple of the scatter of those rows.
  double outlier = 6.0;
  /// Whether both catalogues were measured on the same pixels, so that noise adds nothing to their difference. In that
  /// case, tolerances alone decide, and `false_alarm` and `outlier` are unused. automatic: same if the positions
  /// scatter by at most 0.001 pixel, or by 3e-7 degree if matched by sky. Set `other` if positions were forced on
  /// another exposure: such positions agree although the pixels differ.
  SamePixels pixels = SamePixels::automatic;

  bool operator==(const SignificanceRules&) const = default;
};

enum class FirstPixel { automatic, zero, one };
enum class AngleUnit { automatic, degree, radian };

/// Properties of one of the two catalogues that its column names do not tell, or tell wrongly.
struct SideRules {
  FirstPixel first_pixel = FirstPixel::automatic;  ///< the coordinate of the centre of the first pixel
  AngleUnit angles = AngleUnit::automatic;         ///< unit of position angles
  /// Name of a column in this catalogue, by the column's name in the report (X_IMAGE, FLUX_ISO, ...).
  std::map<std::string, std::string> columns;

  bool operator==(const SideRules&) const = default;
};

/// How the difference of two matched values is computed.
enum class Difference {
  absolute,  ///< new - reference, in the column's unit; right ascension: times the cosine of the declination
  relative,  ///< (new - reference) / (mean of the two absolute values)
  sigma,     ///< (new - reference) / (root of the sum of the squares of both standard errors, from column `error`)
  angle,     ///< new - reference of two position angles, in degrees, in [-90, 90]
  equal,     ///< only whether the values are equal, as for flags and counts
  ignore,    ///< the column is not compared
};

/// Tolerances for columns whose name matches a pattern.
struct ColumnRule {
  std::string pattern;  ///< a column's name, in which one * may stand for any text: FLUX_*
  Difference difference = Difference::absolute;
  /// Largest absolute value of four numbers, in units of the difference. These are the typical difference of all rows,
  /// a trend from one end of the data to the other, and how the brightest rows and a part of the image deviate.
  double bias = 0;
  /// Largest distance of a row's difference from the median difference of rows of similar brightness, in units of the
  /// difference. SignificanceRules::outlier is a further condition.
  double tolerance = 0;
  /// Largest fraction of rows that are outliers; with Difference::equal, largest fraction of rows that differ.
  double outliers = 0.01;
  /// With Difference::sigma: name of the column that holds the standard error. A * in the name stands for the text that
  /// matched the pattern's *.
  std::string error = {};

  bool operator==(const ColumnRule&) const = default;
};

/// Largest number of patterns in a file. Reports need far fewer; the limit bounds the time if a user names a wrong
/// file.
inline constexpr std::size_t max_patterns = 1000;

/// All settings on which the verdict of a comparison depends, besides the two catalogues.
struct CompareRules {
  MatchRules match;
  SourceRules sources;
  SignificanceRules significance;
  SideRules reference, other;
  /// Rules of the file, followed by those built-in rules whose pattern no single rule of the file covers. The first
  /// rule whose pattern matches a column decides.
  std::vector<ColumnRule> columns;

  bool operator==(const CompareRules&) const = default;
};

/// Reads a YAML file as strictly as parse_config(): Error{config} begins with `path:line:column:` and names the nearest
/// valid key. An empty file means all defaults. The sections for the two catalogues are `reference` and `new`. Keys
/// that a pattern's rule omits have the values of the built-in rule for that pattern. If the rule's kind of difference
/// is not the built-in rule's, omitted keys have the defaults of ColumnRule.
CompareRules load_rules(const std::string& path);

/// As load_rules(), from a YAML text; error messages contain `name` in place of the path.
CompareRules parse_rules(const std::string& yaml, const std::string& name);

/// Returns the rules of config/compare.yaml, which hold if the user names no file of rules.
CompareRules default_rules();

/// Returns the rules as YAML, with every key that has a use. parse_rules() reads equal rules from the text, and
/// dump_rules() writes the same text for those rules.
std::string dump_rules(const CompareRules& rules);

/// Returns the first rule whose pattern matches a column's name in the report. Rules from parse_rules() and
/// default_rules() end with a pattern that matches every name; without a match, throws Error{internal}.
const ColumnRule& rule_of(const CompareRules& rules, const std::string& column);

/// Returns the name of the column with the standard error of `column`, by ColumnRule::error; empty if the rule names
/// none.
std::string error_column(const ColumnRule& rule, const std::string& column);

}  // namespace srcextract
