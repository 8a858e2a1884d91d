#include "config/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/core/error.hpp"
#include "tests/config/fuzz_support.hpp"
#include "tests/config/parse_support.hpp"
#include "tests/config/schema_support.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using testing::Wrong;

CompareRules rules_of(const std::string& yaml) {
  return parse_rules(yaml, "x.yaml");
}

std::string rules_error(const std::string& yaml) {
  return testing::config_error([&] { rules_of(yaml); });
}

// --- what is read ----------------------------------------------------------------------------------------------------

TEST(Rules, TheShippedFileIsTheDefault) {
  EXPECT_EQ(load_rules(testing::source_file("config/compare.yaml")), default_rules());
  for (const char* yaml : {"", "\n", "# only a comment\n", "---\n", "{}\n", "columns: {}"}) {
    EXPECT_EQ(rules_of(yaml), default_rules()) << yaml;
  }
}

TEST(Rules, EveryKeyIsRead) {
  const CompareRules r = rules_of(R"(match: {by: sky, radius: 0.75, radius_unit: arcsec}
sources: {lost: 0.1, gained: 0.2, bright: 0.3, duplicated: 0.4, missing_columns: note}
significance: {false_alarm: 0.25, outlier: 7.5, pixels: other}
reference: {first_pixel: 0, angles: radian, columns: {X_IMAGE: xcentroid, FLUX_ISO: 'flux (Jy)'}}
new: {first_pixel: 1, angles: degree, columns: {Y_IMAGE: y}}
columns:
  Q*: {difference: sigma, error: EQ*, bias: 0.5, tolerance: 2.5, outliers: 0.25}
)");
  EXPECT_EQ(r.match, (MatchRules{MatchBy::sky, 0.75, RadiusUnit::arcsec}));
  EXPECT_EQ(r.sources, (SourceRules{0.1, 0.2, 0.3, 0.4, MissingColumns::note}));
  EXPECT_EQ(r.significance, (SignificanceRules{0.25, 7.5, SamePixels::other}));
  EXPECT_EQ(r.reference.first_pixel, FirstPixel::zero);
  EXPECT_EQ(r.reference.angles, AngleUnit::radian);
  EXPECT_THAT(r.reference.columns, UnorderedElementsAre(Pair("X_IMAGE", "xcentroid"), Pair("FLUX_ISO", "flux (Jy)")));
  EXPECT_EQ(r.other.first_pixel, FirstPixel::one);
  EXPECT_EQ(r.other.angles, AngleUnit::degree);
  EXPECT_THAT(r.other.columns, UnorderedElementsAre(Pair("Y_IMAGE", "y")));
  ASSERT_EQ(r.columns.size(), default_rules().columns.size() + 1);
  EXPECT_EQ(r.columns[0], (ColumnRule{"Q*", Difference::sigma, 0.5, 2.5, 0.25, "EQ*"}));
}

TEST(Rules, AFileComesBeforeTheBuiltInOnesInItsOwnOrder) {
  const CompareRules r = rules_of("columns: {FLUX_AUTO: {bias: 0.5}, 'FLUX_*': {bias: 0.25}, 'Z*': {bias: 0.125}}");
  EXPECT_EQ(rule_of(r, "FLUX_AUTO").bias, 0.5);
  EXPECT_EQ(rule_of(r, "FLUX_ISO").bias, 0.25);
  EXPECT_EQ(rule_of(r, "FLUX_MAX").bias, 0.25) << "the built-in rule of this very name comes later";
  EXPECT_EQ(rule_of(r, "ZAP").bias, 0.125);
  EXPECT_EQ(rule_of(r, "MAG_AUTO"), rule_of(default_rules(), "MAG_AUTO"));
  const CompareRules one = rules_of("columns: {'*': {bias: 0.5}}");
  ASSERT_EQ(one.columns.size(), 1u);
  EXPECT_EQ(rule_of(one, "NUMBER").bias, 0.5);
}

TEST(Rules, WhatIsLeftOutIsAsInTheBuiltInRuleForTheName) {
  const CompareRules r = rules_of(R"(columns:
  MAG_AUTO: {tolerance: 0.5}
  'XWIN_*': {outliers: 0.5}
  BACKGROUND: {bias: 0.5}
  XWIN: {}
  NPIX: {difference: equal}
  NUMBER: {difference: absolute, bias: 1, tolerance: 2}
)");
  EXPECT_EQ(rule_of(r, "MAG_AUTO"), (ColumnRule{"MAG_AUTO", Difference::absolute, 0.003, 0.5, 0.01}));
  EXPECT_EQ(rule_of(r, "XWIN_IMAGE"), (ColumnRule{"XWIN_*", Difference::relative, 0.01, 0.1, 0.5}));
  EXPECT_EQ(rule_of(r, "BACKGROUND"), (ColumnRule{"BACKGROUND", Difference::sigma, 0.5, 0.2, 0.01, "THRESHOLD"}));
  EXPECT_EQ(rule_of(r, "XWIN"), (ColumnRule{"XWIN", Difference::relative, 0.01, 0.1, 0.01}));
  EXPECT_EQ(rule_of(r, "NPIX"), (ColumnRule{"NPIX", Difference::equal, 0, 0, 0.01}));
  EXPECT_EQ(rule_of(r, "NUMBER"), (ColumnRule{"NUMBER", Difference::absolute, 1, 2, 0.01}));
}

TEST(Rules, TheFirstPatternThatFitsDecides) {
  CompareRules r;
  for (const char* pattern : {"ONE", "A_*", "*_Z", "M*N", "*"}) r.columns.push_back({pattern});
  const auto pattern_of = [&](const std::string& column) { return rule_of(r, column).pattern; };
  EXPECT_EQ(pattern_of("ONE"), "ONE");
  EXPECT_EQ(pattern_of("ONES"), "*");
  EXPECT_EQ(pattern_of("one"), "*");
  EXPECT_EQ(pattern_of("A_"), "A_*");
  EXPECT_EQ(pattern_of("A_Z"), "A_*");
  EXPECT_EQ(pattern_of("B_Z"), "*_Z");
  EXPECT_EQ(pattern_of("MN"), "M*N");
  EXPECT_EQ(pattern_of("M"), "*");
  EXPECT_EQ(pattern_of(""), "*");
  r.columns = {{"ABA*ABA"}, {"*"}};
  EXPECT_EQ(pattern_of("ABABA"), "*") << "before and after the * may not overlap";
  EXPECT_EQ(pattern_of("ABAABA"), "ABA*ABA");
  EXPECT_THROW(rule_of(CompareRules{}, "X"), Error);
}

TEST(Rules, AnErrorColumnTakesWhatTheStarStoodFor) {
  const ColumnRule flux{"FLUX_*", Difference::sigma, 0, 0, 0, "FLUXERR_*"};
  EXPECT_EQ(error_column(flux, "FLUX_AUTO"), "FLUXERR_AUTO");
  EXPECT_EQ(error_column(flux, "FLUX_"), "FLUXERR_");
  EXPECT_EQ(error_column({"*_flux", Difference::sigma, 0, 0, 0, "e_*_(Jy)"}, "psf_flux"), "e_psf_(Jy)");
  EXPECT_EQ(error_column({"*", Difference::sigma, 0, 0, 0, "*_ERR"}, "K"), "K_ERR");
  EXPECT_EQ(error_column({"FLUX_*", Difference::sigma, 0, 0, 0, "NOISE"}, "FLUX_AUTO"), "NOISE");
}

TEST(Rules, BuiltInOnesKnowTheColumns) {
  const CompareRules r = default_rules();
  const std::pair<const char*, const char*> cases[] = {
      {"NUMBER", "NUMBER"},
      {"VECTOR_ASSOC_2", "VECTOR_ASSOC*"},
      {"FLAGS", "FLAGS"},
      {"FLAGS_WIN", "FLAGS_*"},
      {"XMIN_IMAGE", "XMIN_IMAGE"},
      {"YPEAK_IMAGE", "YPEAK_IMAGE"},
      {"X_IMAGE", "X*_IMAGE"},
      {"YWIN_IMAGE", "Y*_IMAGE"},
      {"X2_IMAGE", "X2*"},
      {"Y2WIN_IMAGE", "Y2*"},
      {"XY_IMAGE", "XY*_IMAGE"},
      {"XYWIN_IMAGE", "XY*_IMAGE"},
      {"XY_WORLD", "XY*"},
      {"X_WORLD", "X*_WORLD"},
      {"ALPHA_J2000", "ALPHA*"},
      {"DELTAWIN_J2000", "DELTA*"},
      {"A_IMAGE", "A_*"},
      {"THETA_IMAGE", "THETA*"},
      {"FLUX_ISO", "FLUX_*"},
      {"FLUX_MAX", "FLUX_MAX"},
      {"FLUXERR_ISO", "FLUXERR_*"},
      {"MAG_AUTO", "MAG_*"},
      {"MAGERR_AUTO", "MAGERR_*"},
      {"BACKGROUND", "BACKGROUND"},
      {"NPIX", "NPIX"},
      {"ISOAREAF_IMAGE", "ISOAREA*"},
      {"SNR", "SNR"},
      {"ELLIPTICITY", "ELLIP*"},
      {"my_own", "*"},
  };
  for (const auto& [column, pattern] : cases) EXPECT_EQ(rule_of(r, column).pattern, pattern) << column;
  for (const ColumnRule& rule : r.columns) EXPECT_EQ(rule_of(r, rule.pattern), rule) << "hidden by one before it";
}

// --- what is refused -------------------------------------------------------------------------------------------------

TEST(RulesErrors, NamePlaceProblemAndWayOut) {
  const Wrong cases[] = {
      {"match:\n  radios: 2\n", "x.yaml:2:3: unknown key 'radios' in 'match'; did you mean 'radius'?"},
      {"matches:\n  radius: 2\n", "x.yaml:1:1: unknown section 'matches'; did you mean 'match'?"},
      {"zzz: {}\n",
       "x.yaml:1:1: unknown section 'zzz'; the sections are match, sources, significance, reference, new, columns"},
      {"tolerance: 1\n", "x.yaml:1:1: unknown section 'tolerance'; it is a key of columns"},
      {"match: {outlier: 5}\n", "x.yaml:1:9: unknown key 'outlier' in 'match'; it is a key of significance"},
      {"match: {radius: 2, radius: 3}\n",
       "x.yaml:1:20: duplicate key 'radius' in 'match'; it stands at x.yaml:1:9 already"},
      {"match: {radius: wide}\n", "x.yaml:1:17: 'match.radius' must be a number, not 'wide'"},
      {"match: {radius_unit: arc}\n",
       "x.yaml:1:22: 'match.radius_unit' must be one of auto, pixel, arcsec, sigma, not 'arc'; did you mean 'arcsec'?"},
      {"match: {radius: 0}\n", "x.yaml:1:17: 'match.radius' must be greater than 0, not 0; no two sources would match"},
      {"match:\n  by: pixel\n  radius_unit: arcsec\n",
       "x.yaml:3:16: 'match.radius_unit' is arcsec, and 'match.by' is pixel; change one of them"},
      {"sources: {lost: 2}\n", "x.yaml:1:17: 'sources.lost' must be at most 1, not 2; it is a share: 0.01 for 1 %"},
      {"new: {first_pixel: 2}\n",
       "x.yaml:1:20: 'new.first_pixel' must be one of auto, 0, 1, not '2'; did you mean '0'?"},
      {"- match\n",
       "x.yaml:1:1: a configuration is a map of sections: match, sources, significance, reference, new, columns"},
  };
  for (const Wrong& wrong : cases) EXPECT_EQ(rules_error(wrong.yaml), wrong.message) << wrong.yaml;
}

TEST(RulesErrors, MapsOfNames) {
  const Wrong cases[] = {
      {"new:\n  columns: x\n", "x.yaml:2:12: 'new.columns' must be a map of names, as in {X_IMAGE: xcentroid}"},
      {"new:\n  columns:\n", "x.yaml:2:3: 'new.columns' must be a map of names, as in {X_IMAGE: xcentroid}"},
      {"new:\n  columns:\n    X: a\n    X: b\n",
       "x.yaml:4:5: duplicate key 'X' in 'new.columns'; it stands at x.yaml:3:5 already"},
      {"new:\n  columns:\n    X:\n",
       "x.yaml:3:5: 'new.columns.X' has no value; write one, or leave the key out for the default"},
      {"new:\n  columns:\n    X: [a]\n", "x.yaml:3:8: 'new.columns.X' must be a name or a whole number, not a list"},
      {"new:\n  columns:\n    X: 1.5\n",
       "x.yaml:3:8: 'new.columns.X' must be a name or a whole number from 0, not '1.5'; a name like this one must "
       "stand in quotes"},
      {"new:\n  columns:\n    'X_*': a\n", "x.yaml:3:5: 'new.columns.NAME' must be one name, not 'X_*'"},
      {"new:\n  columns:\n    X: 'x_*'\n", "x.yaml:3:8: 'new.columns.X' must be one name, not 'x_*'"},
      {"new:\n  columns:\n    ? [a]\n    : b\n", "x.yaml:3:7: a key must be a word"},
  };
  for (const Wrong& wrong : cases) EXPECT_EQ(rules_error(wrong.yaml), wrong.message) << wrong.yaml;
}

TEST(RulesErrors, RulesOfColumns) {
  const Wrong cases[] = {
      {"columns:\n", "x.yaml:1:1: section 'columns' is empty; give it a key, indented below it, or leave it out"},
      {"columns: FLUX\n",
       "x.yaml:1:10: 'columns' is a section and must hold keys: patterns of names, as in 'FLUX_*': {tolerance: 0.05}"},
      {"columns:\n  FLUX:\n",
       "x.yaml:2:3: section 'columns.FLUX' is empty; give it a key, indented below it, or leave it out"},
      {"columns:\n  FLUX: 3\n",
       "x.yaml:2:9: 'columns.FLUX' is a section and must hold keys: difference, bias, tolerance, outliers, error"},
      {"columns:\n  'FLUX_*': {tolerence: 1}\n",
       "x.yaml:2:14: unknown key 'tolerence' in 'columns.FLUX_*'; did you mean 'tolerance'?"},
      {"columns:\n  FLUX: {outlier: 1}\n",
       "x.yaml:2:10: unknown key 'outlier' in 'columns.FLUX'; it is a key of significance"},
      {"columns:\n  FLUX: {bias: 1, bias: 2}\n",
       "x.yaml:2:19: duplicate key 'bias' in 'columns.FLUX'; it stands at x.yaml:2:10 already"},
      {"columns:\n  FLUX: {bias: 1}\n  FLUX: {bias: 2}\n",
       "x.yaml:3:3: duplicate key 'FLUX' in 'columns'; it stands at x.yaml:2:3 already"},
      {"columns:\n  FLUX: {bias: low}\n", "x.yaml:2:16: 'columns.FLUX.bias' must be a number, not 'low'"},
      {"columns:\n  FLUX: {bias: -1}\n",
       "x.yaml:2:16: 'columns.FLUX.bias' must be at least 0, not -1; it is the size of a difference of either sign"},
      {"columns:\n  FLUX: {outliers: 5}\n",
       "x.yaml:2:20: 'columns.FLUX.outliers' must be at most 1, not 5; it is a share: 0.01 for 1 %"},
      {"columns:\n  FLUX: {difference: equl}\n",
       "x.yaml:2:22: 'columns.FLUX.difference' must be one of absolute, relative, sigma, angle, equal, ignore, not "
       "'equl'; did you mean 'equal'?"},
      {"columns:\n  2MASS: {bias: 1}\n",
       "x.yaml:2:3: 'columns.PATTERN' must be a name or a whole number from 0, not '2MASS'; a name like this one "
       "must "
       "stand in quotes"},
      {"columns:\n  'F*_*': {bias: 1}\n", "x.yaml:2:3: the pattern 'F*_*' has more than one *"},
      {"columns:\n  'FLUX_*': {bias: 1}\n  FLUX_ISO: {bias: 2}\n",
       "x.yaml:3:3: the pattern 'FLUX_ISO' is never reached: all that fit it fit 'FLUX_*' above, and the first that "
       "fits "
       "decides; put the narrower pattern first"},
  };
  for (const Wrong& wrong : cases) EXPECT_EQ(rules_error(wrong.yaml), wrong.message) << wrong.yaml;
}

TEST(RulesErrors, KeysThatMeanSomethingOnlyTogether) {
  const Wrong cases[] = {
      {"columns:\n  FLAGS: {tolerance: 1}\n",
       "x.yaml:2:22: 'columns.FLAGS.tolerance' has no use where difference is equal; leave it out"},
      {"columns:\n  FLUX: {difference: ignore, outliers: 0.1}\n",
       "x.yaml:2:40: 'columns.FLUX.outliers' has no use where difference is ignore; leave it out"},
      {"columns:\n  FLUX: {error: E}\n",
       "x.yaml:2:17: 'columns.FLUX.error' has no use where difference is relative; leave it out"},
      {"columns:\n  FLUX: {difference: sigma, bias: 1, tolerance: 2}\n",
       "x.yaml:2:22: 'columns.FLUX.difference' is sigma; say with 'error' which column has the standard error"},
      {"columns:\n  FLUX: {difference: absolute, bias: 1}\n",
       "x.yaml:2:22: 'columns.FLUX.difference' is absolute, and relative in the built-in rule, whose bias and "
       "tolerance "
       "would mean something else; give both"},
      {"columns:\n  FLUX: {difference: sigma, error: 'E*', bias: 1, tolerance: 2}\n",
       "x.yaml:2:36: 'columns.FLUX.error' has a *, and the pattern has none for which it could stand"},
      {"columns:\n  'F*': {difference: sigma, error: 'E*_*', bias: 1, tolerance: 2}\n",
       "x.yaml:2:36: the pattern 'E*_*' has more than one *"},
  };
  for (const Wrong& wrong : cases) EXPECT_EQ(rules_error(wrong.yaml), wrong.message) << wrong.yaml;
}

TEST(RulesErrors, TooManyPatterns) {
  std::string yaml = "columns:\n";
  for (int i = 0; i < 1000; ++i) yaml += "  C" + std::to_string(i) + ": {bias: 1}\n";
  EXPECT_EQ(rules_of(yaml).columns.size(), 1000 + default_rules().columns.size());
  EXPECT_EQ(rules_error(yaml + "  D: {bias: 1}\n"),
            "x.yaml:1002:3: more than 1000 patterns; join those that share a rule with a *");
}

TEST(RulesErrors, NameTheFile) {
  const testing::TemporaryFolder folder;
  const std::string bad = folder.write("bad.yaml", "match:\n  radios: 5\n");
  EXPECT_THAT(testing::config_error([&] { load_rules(bad); }), StartsWith(bad + ":2:3: unknown key 'radios'"));
  EXPECT_THAT(testing::config_error([&] { load_rules(folder / "missing.yaml"); }),
              HasSubstr("No such file or directory"));
}

// --- dump ------------------------------------------------------------------------------------------------------------

TEST(RulesDump, HoldsEveryKeyInOrder) {
  CompareRules r;
  r.reference.columns = {{"X_IMAGE", "x (pix)"}, {"NUMBER", "12"}};
  r.columns = {{"A", Difference::ignore}, {"F*", Difference::sigma, 1, 2, 0.5, "E*"}, {"*", Difference::equal}};
  EXPECT_EQ(dump_rules(r),
            "match:\n  by: auto\n  radius: 1.5\n  radius_unit: auto\n"
            "sources:\n  lost: 0.005\n  gained: 0.005\n  bright: 0.1\n  duplicated: 0.0\n  missing_columns: auto\n"
            "significance:\n  false_alarm: 0.001\n  outlier: 6.0\n  pixels: auto\n"
            "reference:\n  first_pixel: auto\n  angles: auto\n  columns: {NUMBER: 12, X_IMAGE: 'x (pix)'}\n"
            "new:\n  first_pixel: auto\n  angles: auto\n  columns: {}\n"
            "columns:\n  A: {difference: ignore}\n"
            "  'F*': {difference: sigma, bias: 1.0, tolerance: 2.0, outliers: 0.5, error: 'E*'}\n"
            "  '*': {difference: equal, outliers: 0.01}\n");
}

TEST(RulesDump, ReadsBackToTheSameRulesAndText) {
  for (const char* yaml : {
           "",
           "match: {by: sky, radius: 0.1, radius_unit: arcsec}",
           "columns: {'*': {bias: 0.5}}",
           "new: {first_pixel: 0, columns: {'2MASS': 'it''s, [odd]', 'true': 'a: b', X: '#1', Y: '{', Z: 7, y: n, Q: "
           "y}}",
           "columns: {'FLUX_*': {difference: sigma, error: '2*', bias: 3e-7, tolerance: 12}, NPIX: {difference: "
           "equal}}",
           "columns: {'a: b': {bias: 1}, '*''': {bias: 1}, 'no': {bias: 1}, '{*}': {difference: ignore}}",
       }) {
    const CompareRules rules = rules_of(yaml);
    const std::string dumped = dump_rules(rules);
    EXPECT_EQ(rules_of(dumped), rules) << dumped;
    EXPECT_EQ(dump_rules(rules_of(dumped)), dumped);
  }
}

TEST(RulesFuzz, ADamagedFileIsReadOrRefused) {
  testing::expect_read_or_refused(testing::source_text("config/compare.yaml"), 2000,
                                  [](const std::string& yaml) { return dump_rules(rules_of(yaml)); });
}

}  // namespace
}  // namespace srcextract
