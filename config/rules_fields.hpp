#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "config/field.hpp"
#include "config/rules.hpp"

namespace srcextract {

/// The words for an enumeration, in the order of its enumerators.
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

/// Whether a difference has a size, and so a median and outliers.
inline bool has_size(Difference difference) {
  return difference != Difference::equal && difference != Difference::ignore;
}

/// A key that holds a share of something.
inline Field share_field(const std::string& section, const std::string& key, const std::string& description) {
  return {.section = section,
          .key = key,
          .description = description,
          .at_least = 0,
          .at_most = 1,
          .why = "it is a share: 0.01 for 1 %"};
}

/// The keys of `reference` and `new`.
template <class SideOrConst, class F>
requires std::same_as<std::remove_const_t<SideOrConst>, SideRules>
void for_each_side_field(SideOrConst& side, const std::string& section, F&& f) {
  f(Field{.section = section,
          .key = "first_pixel",
          .description = "Coordinate of the centre of the first pixel: 0, 1, or auto (as the program that the columns' "
                         "names are of counts)"},
    side.first_pixel);
  f(Field{.section = section,
          .key = "angles",
          .description = "Unit of position angles: degree, radian, or auto (as the program has it that the columns' "
                         "names are of)"},
    side.angles);
  f(Field{.section = section,
          .key = "columns",
          .description = "The name that this catalogue has for a column of the report, as in {X_IMAGE: xcentroid}"},
    side.columns);
}

/// The one declaration of the keys of rules for a comparison, as config/fields.hpp has those of a configuration; but
/// for the section `columns`, whose keys are patterns.
template <class RulesOrConst, class F>
requires std::same_as<std::remove_const_t<RulesOrConst>, CompareRules>
void for_each_field(RulesOrConst& r, F&& f) {
  f(Field{.section = "match",
          .key = "by",
          .description = "Coordinates in which sources are matched: pixel, sky, or auto (pixel where both have it)"},
    r.match.by);
  f(Field{.section = "match",
          .key = "radius",
          .description = "In radius_unit: rows further apart are two sources",
          .above = 0,
          .why = "no two sources would match"},
    r.match.radius);
  f(Field{.section = "match",
          .key = "radius_unit",
          .description =
              "Unit of radius: pixel, arcsec (on the sky), auto (the one that fits), or sigma (of the positions' "
              "standard errors)"},
    r.match.radius_unit);

  f(share_field("sources", "lost", "Share of the reference's sources that may be lost, in excess of those gained"),
    r.sources.lost);
  f(share_field("sources", "gained", "Share of the reference's sources that may be gained, in excess of those lost"),
    r.sources.gained);
  f(share_field("sources", "bright", "Share of the sources far from the faint end that may be lost or gained"),
    r.sources.bright);
  f(share_field("sources", "duplicated", "Share of rows that may stand twice, more than in the reference"),
    r.sources.duplicated);
  f(Field{.section = "sources",
          .key = "missing_columns",
          .description = "What columns are that the reference alone has: fail (a reason against), note (none), or auto "
                         "(fail if the two share most columns)"},
    r.sources.missing_columns);

  f(Field{.section = "significance",
          .key = "false_alarm",
          .description = "Probability that noise alone is taken for a difference, over all tests of a comparison",
          .above = 0,
          .at_most = 1,
          .why = "it is a probability, and nothing is ever certain"},
    r.significance.false_alarm);
  f(Field{.section = "significance",
          .key = "outlier",
          .description = "A row is an outlier if it is further from the others than this many times their scatter",
          .at_least = 0,
          .why = "it is a distance; at 0 the column's tolerance alone decides"},
    r.significance.outlier);
  f(Field{.section = "significance",
          .key = "pixels",
          .description = "Whether both catalogues are of the same pixels, without noise between them: same, other, or "
                         "auto (same if the positions agree to 0.001 pixel)"},
    r.significance.pixels);

  for_each_side_field(r.reference, "reference", f);
  for_each_side_field(r.other, "new", f);
}

/// The keys of the rule of one pattern; of a rule without a pattern, the section that all of them are in.
template <class RuleOrConst, class F>
requires std::same_as<std::remove_const_t<RuleOrConst>, ColumnRule>
void for_each_field(RuleOrConst& r, F&& f) {
  const std::string section = r.pattern.empty() ? "columns" : "columns." + r.pattern;
  const std::string as_it_is = "difference is " + names_of(r.difference)[static_cast<std::size_t>(r.difference)];
  f(Field{.section = section,
          .key = "difference",
          .description = "What is compared: absolute, relative, sigma (over the standard errors), angle, equal or not, "
                         "or ignore"},
    r.difference);
  f(Field{.section = section,
          .key = "bias",
          .description = "Tolerated in the median difference, a trend, a part of the image",
          .at_least = 0,
          .why = "it is the size of a difference of either sign",
          .no_use = has_size(r.difference) ? "" : as_it_is},
    r.bias);
  f(Field{.section = section,
          .key = "tolerance",
          .description = "Tolerated in the difference of a single row",
          .at_least = 0,
          .why = "it is the size of a difference of either sign",
          .no_use = has_size(r.difference) ? "" : as_it_is},
    r.tolerance);
  Field outliers =
      share_field(section, "outliers", "Share of rows that may be outliers; of difference equal, that may differ");
  if (r.difference == Difference::ignore) outliers.no_use = as_it_is;
  f(outliers, r.outliers);
  f(Field{.section = section,
          .key = "error",
          .description =
              "Column with the standard error, of difference sigma; * stands for what it does in the pattern",
          .is_column = true,
          .no_use = r.difference == Difference::sigma ? "" : as_it_is},
    r.error);
}

}  // namespace srcextract
