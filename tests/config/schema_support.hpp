#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/settings/field.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

// Holding a JSON schema of config/ to the judgement of the parser.

/// Expects Python's jsonschema, a peer, to find what is right valid, and what is wrong not.
inline void expect_verdicts(const std::string& schema, const std::vector<std::string>& right,
                            const std::vector<std::string>& wrong) {
  const std::string python = "/usr/bin/python3";
  SRCEXTRACT_NEEDS_PEER(std::system((python + " -c 'import jsonschema, yaml' 2>/dev/null").c_str()) == 0,
                        "no " + python + " with jsonschema and yaml");
  std::vector<std::string> texts = right;
  texts.insert(texts.end(), wrong.begin(), wrong.end());
  const TemporaryFolder folder;
  const std::string corpus = folder.write("texts.json", nlohmann::json(texts).dump());
  const std::string command = python + " '" + source_file("tests/config/schema_verdicts.py") + "' '" +
                              source_file("config/" + schema) + "' '" + corpus + "' > '" + (folder / "verdicts") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream verdicts(folder / "verdicts");
  std::string verdict;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_TRUE(std::getline(verdicts, verdict));
    EXPECT_EQ(verdict, i < right.size() ? "valid" : "invalid") << texts[i];
  }
}

/// YAML that sets one key: to each of its words, and to what lies at, within and beyond each of its limits.
template <class T>
std::vector<std::string> texts_of_every_key(const T& t) {
  std::vector<std::string> texts;
  for_each_field(t, [&](const config::Field& field, const auto& member) {
    using Member = std::decay_t<decltype(member)>;
    const auto add = [&](const std::string& value) {
      texts.push_back(field.section.name + ": {" + field.key + ": " + value + "}");
    };
    if constexpr (std::is_enum_v<Member>) {
      for (const std::string& word : names_of(member)) add(word);
      add("unheard_of");
    } else if constexpr (std::is_arithmetic_v<Member>) {
      for (const double limit : {field.above, field.at_least, field.at_most}) {
        for (const int step : {-1, 0, 1})
          if (std::isfinite(limit)) add(std::to_string(std::llround(limit) + step));
      }
      add("'1'");
    }
  });
  return texts;
}

/// Expects every such text to be valid if `parse` takes it, and not to be if it refuses a value by itself.
template <class T, class Parse>
void expect_verdicts_on_every_key(const std::string& schema, const T& t, Parse&& parse) {
  const std::regex by_itself("' must be (a |at |one of |true |greater than [0-9])");
  std::vector<std::string> right, wrong;
  for (const std::string& text : texts_of_every_key(t)) {
    try {
      parse(text);
      right.push_back(text);
    } catch (const Error& error) {
      if (std::regex_search(error.what(), by_itself)) wrong.push_back(text);
    }
  }
  EXPECT_GT(right.size(), 20u);
  EXPECT_GT(wrong.size(), 20u);
  expect_verdicts(schema, right, wrong);
}

}  // namespace srcextract::testing
