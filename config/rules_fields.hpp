#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "stages/settings/field.hpp"

namespace srcextract {

/// The words in YAML for each enumerator, in the order of the enumerators.
inline std::vector<std::string> names_of(MatchBy) {
  return {"auto", "pixel", "sky"};
}
inline std::vector<std::string> names_of(RadiusUnit) {
  return {"auto", "pixel", "arcsec", "sigma"};
}
inline std::vector<std::string> names_of(MissingColumns) {
  return {"auto", "fail", "note"};
}
inline std::vector<std::string> names_of(SamePixels) {
  return {"auto", "same", "other"};
}
inline std::vector<std::string> names_of(FirstPixel) {
  return {"auto", "0", "1"};
}
inline std::vector<std::string> names_of(AngleUnit) {
  return {"auto", "degree", "radian"};
}
inline std::vector<std::string> names_of(Difference) {
  return {"absolute", "relative", "sigma", "angle", "equal", "ignore"};
}

}  // namespace srcextract

namespace srcextract::config {

/// Whether this kind of difference is a number, as the rule's keys `bias` and `tolerance` need; equal and ignore are
/// not.
inline bool has_size(Difference difference) {
  return difference != Difference::equal && difference != Difference::ignore;
}

/// Returns the reason why the radius's unit contradicts `by`; empty if both fit.
inline std::string radius_unit_problem(const MatchRules& match) {
  const bool pixels_on_the_sky = match.by == MatchBy::sky && match.radius_unit == RadiusUnit::pixel;
  const bool angle_in_pixels = match.by == MatchBy::pixel && match.radius_unit == RadiusUnit::arcsec;
  if (!pixels_on_the_sky && !angle_in_pixels) return "";
  return "is " + names_of(match.radius_unit)[static_cast<std::size_t>(match.radius_unit)] + ", and 'match.by' is " +
         names_of(match.by)[static_cast<std::size_t>(match.by)] + "; change one of them";
}

/// Returns a key whose value is a fraction from 0 to 1.
inline Field share_field(const Section& section, const std::string& key, const std::string& description) {
  return {.section = section,
          .key = key,
          .description = description,
          .at_least = 0,
          .at_most = 1,
          .why = "it is a share: 0.01 for 1 %"};
}

template <MaybeConst<CompareRules> AnyRules, class F>
void for_each_match_field(AnyRules& r, F&& f) {
  const Section section{"match", "Which rows of the two catalogues are one source"};
  f(Field{.section = section,
          .key = "by",
          .description = "Coordinates of the match: `pixel`, `sky`, or `auto` (pixel if both catalogues have pixel "
                         "positions, else sky)"},
    r.match.by);
  f(Field{.section = section,
          .key = "radius",
          .description = "Rows further apart are two sources, in `radius_unit`",
          .above = 0,
          .why = "no two sources would match"},
    r.match.radius);
  f(Field{.section = section,
          .key = "radius_unit",
          .description = "Unit of radius: `pixel`, `arcsec`, `auto` (pixels if matched by pixel, arcsec if by sky), or "
                         "`sigma` (standard errors of the positions, which both catalogues must have). `pixel` with "
                         "`by: sky`, or `arcsec` with `by: pixel`, is an error",
          .problem = radius_unit_problem(r.match)},
    r.match.radius_unit);
}

template <MaybeConst<CompareRules> AnyRules, class F>
void for_each_sources_field(AnyRules& r, F&& f) {
  const Section section{"sources", "How many sources may come and go"};
  f(share_field(section, "lost", "Share of the reference's sources that may be lost, in excess of those gained"),
    r.sources.lost);
  f(share_field(section, "gained", "Share of the reference's sources that may be gained, in excess of those lost"),
    r.sources.gained);
  f(share_field(section, "bright", "Share of the sources far from the faint end that may be lost or gained"),
    r.sources.bright);
  f(share_field(section, "duplicated", "Share of duplicated rows, beyond that of the reference"), r.sources.duplicated);
  f(Field{.section = section,
          .key = "missing_columns",
          .description = "Columns that only the reference has: `fail` (a reason against the new catalogue), `note` "
                         "(none), or `auto` (fail if the two share four fifths of the names of columns)"},
    r.sources.missing_columns);
}

template <MaybeConst<CompareRules> AnyRules, class F>
void for_each_significance_field(AnyRules& r, F&& f) {
  const Section section{"significance", "When a difference counts"};
  f(Field{.section = section,
          .key = "false_alarm",
          .description = "Probability of a false alarm by noise, over all tests of a comparison; 1 = every difference "
                         "beyond its tolerance counts",
          .above = 0,
          .at_most = 1,
          .why = "it is a probability, and nothing is ever certain"},
    r.significance.false_alarm);
  f(Field{.section = section,
          .key = "outlier",
          .description =
              "A row is an outlier if it is beyond this many times the scatter of the others, and beyond the tolerance",
          .at_least = 0,
          .why = "it is a distance; at 0 the column's tolerance alone decides"},
    r.significance.outlier);
  f(Field{.section = section,
          .key = "pixels",
          .description = "`same` if both catalogues are of the same pixels: then there is no noise, and the tolerances "
                         "alone decide. `other` (also for forced positions on another exposure), or `auto` (same if "
                         "positions agree to 0.001 pixel)"},
    r.significance.pixels);
}

/// Calls `f` with each key of the section `reference` or `new`, which `name` names.
template <MaybeConst<SideRules> AnySide, class F>
void for_each_side_field(AnySide& side, const std::string& name, F&& f) {
  const Section section{name, "What the names of this catalogue's columns do not tell"};
  f(Field{.section = section,
          .key = "first_pixel",
          .description = "Coordinate of the centre of the first pixel: 0, 1, or `auto` (by the names of the columns)"},
    side.first_pixel);
  f(Field{.section = section,
          .key = "angles",
          .description = "Unit of position angles: `degree`, `radian`, or `auto` (by the names of the columns)"},
    side.angles);
  f(Field{.section = section,
          .key = "columns",
          .description = "This catalogue's names for columns of the report, as in `{X_IMAGE: xcentroid}`"},
    side.columns);
}

/// Calls `f` with each key of the rule for one pattern. A rule with an empty pattern stands for all patterns and has
/// the section `columns`.
template <MaybeConst<ColumnRule> AnyRule, class F>
void for_each_rule_field(AnyRule& r, F&& f) {
  const Section section{r.pattern.empty() ? "columns" : "columns." + r.pattern,
                        "What is tolerated in the columns whose name fits the pattern; what is left out is as in the "
                        "built-in rule for that name"};
  const std::string as_it_is = "difference is " + names_of(r.difference)[static_cast<std::size_t>(r.difference)];
  f(Field{.section = section,
          .key = "difference",
          .description = "Compares new − reference: `absolute` (in the column's unit), `relative` (over the mean of "
                         "their sizes), `sigma` (over the root of the sum of the squared errors) or `angle` (as "
                         "position angles); `equal` (or not); `ignore`"},
    r.difference);
  f(Field{.section = section,
          .key = "bias",
          .description = "Limit of the median difference, of a trend from end to end, of a part of the image",
          .at_least = 0,
          .why = "it is the size of a difference of either sign",
          .no_use = has_size(r.difference) ? "" : as_it_is},
    r.bias);
  f(Field{.section = section,
          .key = "tolerance",
          .description = "Limit of the difference in a row",
          .at_least = 0,
          .why = "it is the size of a difference of either sign",
          .no_use = has_size(r.difference) ? "" : as_it_is},
    r.tolerance);
  Field outliers = share_field(section, "outliers", "Share of rows that may be outliers, or with `equal` differ");
  if (r.difference == Difference::ignore) outliers.no_use = as_it_is;
  f(outliers, r.outliers);
  f(Field{.section = section,
          .key = "error",
          .description =
              "With `sigma`: column with the standard error; a `*` stands for the same text as in the pattern",
          .is_column = true,
          .no_use = r.difference == Difference::sigma ? "" : as_it_is},
    r.error);
}

}  // namespace srcextract::config

namespace srcextract {

/// Calls `f` with each key of the comparison rules and its value. No other code lists these keys; compare.schema.json
/// and the table in docs/regression.md are generated from this list. Keys of the section `columns` are patterns, so
/// the next overload lists the keys of each pattern's rule.
template <config::MaybeConst<CompareRules> AnyRules, class F>
void for_each_field(AnyRules& r, F&& f) {
  config::for_each_match_field(r, f);
  config::for_each_sources_field(r, f);
  config::for_each_significance_field(r, f);
  config::for_each_side_field(r.reference, "reference", f);
  config::for_each_side_field(r.other, "new", f);
}

/// Calls `f` with each key of the rule for one pattern, and the key's value.
template <config::MaybeConst<ColumnRule> AnyRule, class F>
void for_each_field(AnyRule& r, F&& f) {
  config::for_each_rule_field(r, f);
}

}  // namespace srcextract
