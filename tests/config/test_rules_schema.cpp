#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "config/rules_fields.hpp"
#include "config/sections.hpp"
#include "stages/core/error.hpp"
#include "tests/config/schema_support.hpp"

namespace srcextract {
namespace {

TEST(RulesSchema, ShippedFileHasEveryKeyAndIsValid) {
  const std::string yaml = testing::source_text("config/compare.yaml");
  EXPECT_EQ(yaml.substr(0, yaml.find('\n')), "# yaml-language-server: $schema=compare.schema.json");
  const YAML::Node file = YAML::Load(yaml);
  for (const config::Field& field : config::Draft<CompareRules>().fields()) {
    EXPECT_TRUE(file[field.section.name][field.key].IsDefined()) << field.path() << " is not in config/compare.yaml";
  }
  for (const config::Field& field : config::Draft<ColumnRule>().fields()) {
    EXPECT_NE(yaml.find("#   " + field.key + " "), std::string::npos) << field.key << " is not told of in compare.yaml";
  }
  testing::expect_verdicts("compare.schema.json", {yaml}, {});
}

bool rules_accept(const std::string& yaml) {
  try {
    parse_rules(yaml, "x.yaml");
    return true;
  } catch (const Error&) {
    return false;
  }
}

const std::vector<std::string> right_rules = {
    "{}",
    "match: {by: sky, radius: 2, radius_unit: arcsec}",
    "match: {radius_unit: arcsec}",
    "match: {by: pixel, radius_unit: sigma, radius: 0.001}",
    "match: {by: pixel}",
    "sources: {lost: 0, gained: 1, bright: 0.5, duplicated: 1.0}",
    "significance: {false_alarm: 1, outlier: 0}",
    "match: {by: sky, radius_unit: arcsec}",
    "reference: {first_pixel: 0, angles: radian, columns: {X_IMAGE: xcentroid, 'FLUX_ISO': 'flux (Jy)'}}",
    "new: {first_pixel: 1, angles: degree, columns: {}}",
    "new: {first_pixel: auto, angles: auto, columns: {X_IMAGE: 12}}",
    "columns: {}",
    "columns: {NUMBER: {}}",
    "columns: {'FLUX_*': {tolerance: 0, bias: 0, outliers: 0}}",
    "columns: {'*': {difference: absolute, bias: 1, tolerance: 1000}}",
    "columns: {'*_IMAGE': {outliers: 1}, \"2MASS\": {difference: ignore}}",
    "columns: {FLAGS: {outliers: 0}, NPIX: {difference: equal, outliers: 0.1}}",
    "columns: {'FLUX_*': {difference: sigma, error: 'FLUXERR_*', bias: 0.1, tolerance: 5}}",
    "columns: {BACKGROUND: {tolerance: 1}}",
    "columns: {BACKGROUND: {difference: sigma, error: NOISE}}",
    dump_rules(default_rules()),
};

const std::vector<std::string> wrong_rules = {
    "matches: {radius: 2}",
    "radius: 2",
    "match:",
    "match: 2",
    "match: {radius: 0}",
    "match: {radius: -1}",
    "match: {radius: '2'}",
    "match: {radious: 2}",
    "match: {by: pixels}",
    "match: {by: pixel, radius_unit: arcsec}",
    "match: {radius_unit: deg}",
    "sources: {lost: -0.1}",
    "sources: {gained: 1.1}",
    "sources: {bright: 2}",
    "sources: {duplicated: one}",
    "significance: {false_alarm: 0}",
    "match: {by: sky, radius_unit: pixel}",
    "significance: {outlier: -1}",
    "significance: {outlier: ~}",
    "reference: {first_pixel: 2}",
    "reference: {first_pixel: 0.5}",
    "reference: {angles: degrees}",
    "reference: {columns: X_IMAGE}",
    "reference: {columns: [X_IMAGE]}",
    "reference: {columns: }",
    "reference: {columns: {X_IMAGE: }}",
    "reference: {columns: {X_IMAGE: [x]}}",
    "reference: {columns: {X_IMAGE: {x: y}}}",
    "reference: {columns: {X_IMAGE: true}}",
    "reference: {columns: {X_IMAGE: ''}}",
    "reference: {columns: {' X': x}}",
    "reference: {columns: {'X_*': 'x_*'}}",
    "reference: {columns: {X: 'x*'}}",
    "new: {columns: {" + std::string(69, 'A') + ": x}}",
    "other: {first_pixel: 0}",
    "columns:",
    "columns: [FLUX_ISO]",
    "columns: FLUX_ISO",
    "columns: {FLUX_ISO: }",
    "columns: {FLUX_ISO: 0.1}",
    "columns: {FLUX_ISO: {tolerence: 0.1}}",
    "columns: {FLUX_ISO: {pattern: X}}",
    "columns: {FLUX_ISO: {bias: -0.1}}",
    "columns: {FLUX_ISO: {tolerance: -0.1}}",
    "columns: {FLUX_ISO: {tolerance: 10%}}",
    "columns: {FLUX_ISO: {outliers: 1.5}}",
    "columns: {FLUX_ISO: {difference: equals}}",
    "columns: {FLUX_ISO: {difference: sigma, bias: 1, tolerance: 1}}",
    "columns: {FLUX_ISO: {difference: relative, error: FLUXERR_ISO}}",
    "columns: {FLUX_ISO: {difference: equal, tolerance: 1}}",
    "columns: {FLUX_ISO: {difference: ignore, bias: 1}}",
    "columns: {FLUX_ISO: {difference: ignore, outliers: 0.1}}",
    "columns: {'F*': {difference: sigma, error: 'E**', bias: 1, tolerance: 1}}",
    "columns: {'F*': {difference: sigma, error: '', bias: 1, tolerance: 1}}",
    "columns: {'F*_*': {bias: 1}}",
    "columns: {'': {bias: 1}}",
    "columns: {\"S\\xC9\": {bias: 1}}",
};

/// What depends on the built-in rules, on the order, or on a rule's pattern is beyond the schema.
const std::vector<std::string> wrong_for_the_parser = {
    "columns: {'FLUX_*': {difference: absolute}}",
    "columns: {'FLUX_*': {difference: absolute, tolerance: 0.5}}",
    "columns: {FLAGS: {tolerance: 1}}",
    "columns: {NUMBER: {outliers: 0.1}}",
    "columns: {FLUX_ISO: {error: FLUXERR_ISO}}",
    "columns: {FLUX_ISO: {difference: sigma, error: 'FLUXERR_*', bias: 1, tolerance: 1}}",
    "columns: {'FLUX_*': {bias: 1}, FLUX_ISO: {bias: 2}}",
};

TEST(RulesSchema, ParserJudgesRightAndWrong) {
  for (const std::string& yaml : right_rules) EXPECT_TRUE(rules_accept(yaml)) << yaml;
  for (const std::string& yaml : wrong_rules) EXPECT_FALSE(rules_accept(yaml)) << yaml;
  for (const std::string& yaml : wrong_for_the_parser) EXPECT_FALSE(rules_accept(yaml)) << yaml;
}

TEST(RulesSchema, JudgesAsTheParserDoes) {
  std::vector<std::string> valid = right_rules;
  valid.insert(valid.end(), wrong_for_the_parser.begin(), wrong_for_the_parser.end());
  testing::expect_verdicts("compare.schema.json", valid, wrong_rules);
}

TEST(RulesSchema, JudgesEveryKeyAsTheParserDoes) {
  testing::expect_verdicts_on_every_key("compare.schema.json", CompareRules{},
                                        [](const std::string& yaml) { parse_rules(yaml, "x.yaml"); });
}

}  // namespace
}  // namespace srcextract
