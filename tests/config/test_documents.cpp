#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "scripts/config_documents/default_yaml.hpp"
#include "scripts/config_documents/documents.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using documents::Document;
using documents::documents;

/// The first line of `text` that `other` has not at the same place, with its number.
std::string first_new_line(const std::string& text, const std::string& other) {
  const auto differs = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first;
  const auto number = 1 + std::count(text.begin(), differs, '\n');
  const auto begin = std::find(std::make_reverse_iterator(differs), text.rend(), '\n').base();
  return "line " + std::to_string(number) + ": " + std::string(begin, std::find(differs, text.end(), '\n'));
}

TEST(Documents, AreWhatIsDeclared) {
  for (const Document& document : documents(testing::source_dir())) {
    const std::string stored = testing::source_text(document.path);
    EXPECT_TRUE(stored == document.text)
        << document.path << " is not what config/ declares: run scripts/generate_config.sh, which writes it.\nIt has "
        << first_new_line(stored, document.text) << "\ndeclared is " << first_new_line(document.text, stored);
  }
}

TEST(Documents, KeepWhatStandsAroundTheTable) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "docs");
  std::filesystem::create_directory(folder / "config");
  for (const Document& document : documents(testing::source_dir())) {
    if (!document.path.starts_with("docs/")) {
      folder.write(document.path, document.text);
      continue;
    }
    std::string stale = document.text;
    const std::size_t row = stale.find("\n| `", stale.find("<!--")) + 1;
    stale.erase(row, stale.find('\n', row) + 1 - row);
    folder.write(document.path, "before\n" + stale + "after\n");
  }
  const std::vector<Document> fresh = documents(testing::source_dir());
  const std::vector<Document> mended = documents(folder / ".");
  ASSERT_EQ(mended.size(), fresh.size());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const bool is_page = fresh[i].path.starts_with("docs/");
    EXPECT_EQ(mended[i].text, is_page ? "before\n" + fresh[i].text + "after\n" : fresh[i].text) << fresh[i].path;
  }
}

TEST(Documents, TheDefaultFileGetsWhatItLacks) {
  const std::string text = testing::source_text("config/default.yaml");
  const std::size_t section = text.find("\ndeblend:\n"), key = text.find("\n  contrast: ", section);
  std::string lacks = text;
  lacks.erase(key + 1, text.find('\n', key + 1) - key);
  for (const std::string& some : {lacks, text.substr(0, section), std::string()}) {
    const std::string whole = documents::default_yaml(some);
    EXPECT_EQ(dump_config(parse_config(whole, "x.yaml")), dump_config(parse_config(some, "x.yaml")));
    EXPECT_THAT(whole, ::testing::HasSubstr("\n  contrast: 0.005\n"));
    EXPECT_EQ(documents::default_yaml(whole), whole);
  }
  EXPECT_EQ(documents::default_yaml(text), text);
}

TEST(Documents, SayWhatAPageWithoutAPlaceForItsTableNeeds) {
  const testing::TemporaryFolder folder;
  try {
    documents(folder / ".");
    FAIL() << "there are no pages";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("docs/configuration.md needs these two lines around its table"));
  }
}

}  // namespace
}  // namespace srcextract
