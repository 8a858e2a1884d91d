#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "config/fields.hpp"
#include "stages/core/error.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using testing::TemporaryFolder;

using nlohmann::json;

const std::string source_dir = testing::source_dir();

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

json schema() {
  return json::parse(text_of(source_dir + "/config/schema.json"));
}

/// What the schema must say of a key's type and default, from the type and value of its member.
json type_of(double value) {
  return {{"type", "number"}, {"default", value}};
}
json type_of(std::int64_t value) {
  return {{"type", "integer"}, {"default", value}};
}
json type_of(bool value) {
  return {{"type", "boolean"}, {"default", value}};
}
json type_of(const std::string& value) {
  return {{"type", {"string", "integer"}},  // the name of an HDU, or its number
          {"pattern", "^[!-~]([ -~]*[!-~])?$"},
          {"maxLength", 68},
          {"minimum", 0},
          {"default", value}};
}
template <class Enum>
requires std::is_enum_v<Enum> json type_of(Enum value) {
  return {{"enum", names_of(value)}, {"default", names_of(value)[static_cast<std::size_t>(value)]}};
}
template <class Enum>
json type_of(const std::vector<Enum>& values) {
  json defaults = json::array();
  for (Enum value : values) defaults.push_back(names_of(value)[static_cast<std::size_t>(value)]);
  return {{"type", "array"},
          {"items", {{"enum", names_of(Enum{})}}},
          {"minItems", 1},
          {"uniqueItems", true},
          {"default", defaults}};
}

/// The section -> key -> property tree that the declaration asks for, with the limits that hold in `config`.
json declared(const Config& config) {
  json sections = json::object();
  const Config defaults;
  for_each_field(defaults, [&](const Field& field, const auto& value) {
    json property = type_of(value);
    property["description"] = field.description;
    sections[field.section][field.key] = property;
  });
  for_each_field(config, [&](const Field& field, const auto&) {
    json& property = sections[field.section][field.key];
    if (std::isfinite(field.above)) property["exclusiveMinimum"] = field.above;
    if (std::isfinite(field.at_least)) property["minimum"] = field.at_least;
    if (std::isfinite(field.at_most)) property["maximum"] = field.at_most;
    if (!field.one_of.empty()) {
      property.erase("type");
      property["enum"] = field.one_of;
    }
  });
  return sections;
}

/// The same tree from the schema, with what a section's `then` or `else` adds.
json stated(const char* branch) {
  json sections = json::object();
  const json whole = schema();
  for (const auto& [name, section] : whole.at("properties").items()) {
    sections[name] = section.at("properties");
    if (!section.contains(branch)) continue;
    for (const auto& [key, more] : section.at(branch).at("properties").items()) sections[name].at(key).update(more);
  }
  return sections;
}

void expect_equal(const json& from_schema, const json& from_declaration) {
  EXPECT_EQ(from_schema, from_declaration)
      << "the edit that makes schema.json agree with config/fields.hpp (JSON Patch):\n"
      << json::diff(from_schema, from_declaration).dump(2);
}

TEST(Schema, AgreesWithTheDeclaration) {
  expect_equal(stated("else"), declared(Config{}));
  Config absolute;
  absolute.detection.threshold_unit = ThresholdUnit::absolute;
  expect_equal(stated("then"), declared(absolute));
}

TEST(Schema, AllowsNothingElse) {
  const json whole = schema();
  EXPECT_EQ(whole.at("$schema"), "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(whole.at("additionalProperties"), false);
  for (const auto& [name, section] : whole.at("properties").items()) {
    EXPECT_EQ(section.at("additionalProperties"), false) << name;
    EXPECT_EQ(section.at("type"), "object") << name;
    EXPECT_FALSE(section.at("description").get<std::string>().empty()) << name;
  }
}

TEST(Schema, DefaultFileAndDocumentationHaveEveryKey) {
  const YAML::Node file = YAML::LoadFile(source_dir + "/config/default.yaml");
  const YAML::Node dumped = YAML::Load(dump_config(Config{}));
  const std::string documentation = text_of(source_dir + "/docs/configuration.md");
  int keys = 0;
  const Config defaults;
  for_each_field(defaults, [&](const Field& field, const auto&) {
    EXPECT_TRUE(file[field.section][field.key].IsDefined()) << field.path() << " is not in config/default.yaml";
    YAML::Emitter value;
    value << YAML::Flow << dumped[field.section][field.key];
    std::string row;
    std::istringstream lines(documentation);
    while (std::getline(lines, row) && row.rfind("| `" + field.path() + "` |", 0) != 0) {
    }
    EXPECT_NE(row.find("| `" + std::string(value.c_str()) + "` |"), std::string::npos)
        << field.path() << " with its default " << value.c_str() << " is no row of docs/configuration.md";
    ++keys;
  });
  EXPECT_GE(keys, 13);
  for (const char* name : {"default.yaml", "lesson.yaml"}) {
    const std::string text = text_of(source_dir + "/config/" + name);
    EXPECT_EQ(text.substr(0, text.find('\n')), "# yaml-language-server: $schema=schema.json") << name;
  }
}

bool parser_accepts(const std::string& yaml) {
  try {
    parse_config(yaml, "x.yaml");
    return true;
  } catch (const Error&) {
    return false;
  }
}

const std::vector<std::string> right = {
    "{}",
    "input: {hdu: auto}",
    "input: {hdu: 0}",
    "input: {hdu: 12, plane: 3}",
    "input: {hdu: SCI}",
    "input: {hdu: '2MASS J, [x]'}",
    "background: {kappa: 1.01}",
    "background: {kappa: 100}",
    "background: {max_iterations: 0}",
    "detection: {threshold: 0.001}",
    "detection: {threshold: 1, threshold_unit: sigma}",
    "detection: {threshold: -3, threshold_unit: absolute}",
    "detection: {threshold: 0, threshold_unit: absolute}",
    "detection: {connectivity: 4, reference: zero, min_area: 1}",
    "measurement: {gain: 0, reference: background}",
    "output: {formats: [reg, csv, ecsv, fits], segmentation: true}",
    dump_config(Config{}),
};

const std::vector<std::string> wrong = {
    "detect: {threshold: 5}",
    "detection: {treshold: 5}",
    "background: {threshold: 5}",
    "threshold: 5",
    "detection:",
    "detection: 5",
    "detection: [threshold]",
    "[detection]",
    "detection",
    "input: {hdu: -1}",
    "input: {hdu: 1.5}",
    "input: {hdu: true}",
    "input: {hdu: ''}",
    "input: {hdu: ' SCI'}",
    "input: {hdu: }",
    "input: {hdu: [SCI]}",
    "input: {hdu: \"S\\xC9\"}",
    "input: {hdu: " + std::string(69, 'A') + "}",
    "input: {plane: 0}",
    "input: {plane: 1.5}",
    "input: {plane: first}",
    "background: {kappa: 1}",
    "background: {kappa: 0}",
    "background: {kappa: 100.1}",
    "background: {kappa: '3'}",
    "background: {kappa: ~}",
    "background: {kappa: yes}",
    "background: {max_iterations: -1}",
    "background: {max_iterations: 2.5}",
    "detection: {threshold: 0}",
    "detection: {threshold: -5, threshold_unit: sigma}",
    "detection: {threshold: 08}",
    "detection: {threshold: 1x}",
    "detection: {threshold: [5]}",
    "detection: {threshold_unit: sigmas}",
    "detection: {threshold_unit: 1}",
    "detection: {reference: median}",
    "detection: {connectivity: 6}",
    "detection: {connectivity: '8'}",
    "detection: {min_area: 0}",
    "detection: {min_area: 2.5}",
    "measurement: {gain: -0.1}",
    "measurement: {gain: {}}",
    "output: {formats: fits}",
    "output: {formats: []}",
    "output: {formats: [fits, fits]}",
    "output: {formats: [fits, exsv]}",
    "output: {formats: [[fits]]}",
    "output: {segmentation: 1}",
    "output: {segmentation: 'true'}",
};

TEST(Schema, ParserJudgesRightAndWrong) {
  for (const std::string& yaml : right) EXPECT_TRUE(parser_accepts(yaml)) << yaml;
  for (const std::string& yaml : wrong) EXPECT_FALSE(parser_accepts(yaml)) << yaml;
}

TEST(Schema, JudgesAsTheParserDoes) {
  const std::string python = "/usr/bin/python3";
  if (std::system((python + " -c 'import jsonschema, yaml' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << python << " with jsonschema and yaml is not there";
  }
  std::vector<std::string> texts = right;
  texts.insert(texts.end(), wrong.begin(), wrong.end());
  const TemporaryFolder folder;
  const std::string corpus = folder.write("texts.json", json(texts).dump());
  const std::string command = python + " '" + source_dir + "/tests/config/schema_verdicts.py' '" + source_dir +
                              "/config/schema.json' '" + corpus + "' > '" + (folder / "verdicts") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::istringstream verdicts(text_of(folder / "verdicts"));
  std::string verdict;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_TRUE(std::getline(verdicts, verdict));
    EXPECT_EQ(verdict, i < right.size() ? "valid" : "invalid") << texts[i];
  }
}

}  // namespace
}  // namespace srcextract
