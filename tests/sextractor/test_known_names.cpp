#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/sextractor_keys.hpp"
#include "sextractor/columns.hpp"
#include "sextractor/configuration.hpp"
#include "tests/sextractor/request_support.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract::testing {
namespace {

/// What Debian's source-extractor prints; empty where there is none.
std::string sextractor_says(const std::string& option) {
  const std::string command = "source-extractor " + option + " 2>/dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  if (pipe != nullptr) pclose(pipe);
  return text;
}

TEST(SextractorNames, EveryKeyIsKnownWithItsDefault) {
  const std::string defaults = sextractor_says("-dd");
  if (defaults.empty()) GTEST_SKIP() << "no source-extractor on PATH";
  const TemporaryFolder folder;
  const sextractor::Configuration listed = sextractor::read_configuration(folder.write("dd.sex", defaults));
  for (const sextractor::Setting& setting : listed.settings()) {
    EXPECT_TRUE(setting.is_set()) << setting.key->name << " is no key of SExtractor's";
    EXPECT_TRUE(setting.is_usual()) << setting.text() << " is not " << setting.key->usual;
  }
}

TEST(SextractorNames, EveryKeyOfTheListIsNamedInWhatItBecomes) {
  const std::string defaults = sextractor_says("-dd");
  if (defaults.empty()) GTEST_SKIP() << "no source-extractor on PATH";
  const Converted converted = convert(defaults);
  for (const SextractorKey& key : sextractor_keys())
    EXPECT_THAT(converted.yaml, ::testing::HasSubstr(key.name)) << key.name;
  EXPECT_EQ(dump_config(converted.config), dump_config(convert("GAIN 0\n").config));
  EXPECT_EQ(lost(converted), "");
}

TEST(SextractorNames, EveryColumnIsOursOrHasAReason) {
  const std::string list = sextractor_says("-dp");
  if (list.empty()) GTEST_SKIP() << "no source-extractor on PATH";
  std::set<std::string> theirs;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(1, line.find(' ') - 1);
    if (!name.empty()) theirs.insert(name);
  }
  ASSERT_GT(theirs.size(), 400U);
  const std::vector<std::string> known = sextractor::sextractor_columns();
  EXPECT_EQ(std::set<std::string>(known.begin(), known.end()), theirs);
  EXPECT_EQ(known.size(), theirs.size());
  int ours = 0;
  for (const std::string& name : theirs) {
    const bool here = !sextractor::our_column(name).empty();
    EXPECT_NE(here, !sextractor::why_no_column(name).empty()) << name;
    ours += here ? 1 : 0;
  }
  EXPECT_EQ(ours, 290);  // as docs/sextractor.md has it
}

// What a key is said to be here is a key that there is.
TEST(SextractorNames, OursAreKeysOfOurs) {
  const std::string dump = dump_config(Config{});
  std::set<std::string> keys;
  std::istringstream lines(dump);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(':'));
    if (name.starts_with("  "))
      keys.insert(section + "." + name.substr(2));
    else
      section = name;
  }
  for (const SextractorKey& key : sextractor_keys())
    if (key.fate == SextractorFate::kept) {
      EXPECT_TRUE(keys.contains(std::string(key.ours))) << key.name << " is not " << key.ours;
    } else {
      EXPECT_FALSE(key.ours.empty()) << key.name;
    }
}

TEST(SextractorNames, TheManualNamesEveryKeyThatIsKept) {
  const std::string manual = source_text("docs/configuration.md");
  for (const SextractorKey& key : sextractor_keys())
    if (key.fate == SextractorFate::kept) {
      EXPECT_THAT(manual, ::testing::HasSubstr(key.name)) << key.name;
    }
}

}  // namespace
}  // namespace srcextract::testing
