#include "io/files/temporary_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "io/files/output_file.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;

TEST(TemporaryNamesTest, ContainTheTagOrTheNumberOfTheProcess) {
  const std::string process = std::to_string(getpid());
  EXPECT_THAT(next_temporary_name("out"), StartsWith("out/.srcextract." + process + "."));
  TemporaryFolder directory;
  tag_temporaries("2-of-4");
  {
    OutputFile file(directory / "a.cat.fits");
    file.seal();
    EXPECT_THAT(directory.names(), ElementsAre(StartsWith(".srcextract.2-of-4.")));
  }
  tag_temporaries(process);
}

TEST(TemporaryNamesTest, AreNewEveryTime) {
  EXPECT_NE(next_temporary_name("out"), next_temporary_name("out"));
}

TEST(TemporaryNamesTest, StaleOnesAreRemovedAndNothingElse) {
  TemporaryFolder directory;
  std::filesystem::create_directories(directory / "night1/deep");
  const std::string stale[] = {".srcextract.2-of-4.0.tmp", "night1/.srcextract.2-of-4.17.tmp",
                               "night1/deep/.srcextract.2-of-4.3.tmp"};
  const std::string kept[] = {".srcextract.1-of-4.0.tmp", "night1/.srcextract.1234.0.tmp", "night1/a.cat.fits",
                              ".srcextract.2-of-4.0.tmp~", ".srcextract.tmp"};
  for (const std::string& name : stale) directory.write(name, "half");
  for (const std::string& name : kept) directory.write(name, "whole");
  remove_temporaries(directory.string(), [](const std::string& tag) { return tag == "2-of-4"; });
  for (const std::string& name : stale) EXPECT_FALSE(std::filesystem::exists(directory / name)) << name;
  for (const std::string& name : kept) EXPECT_TRUE(std::filesystem::exists(directory / name)) << name;
  EXPECT_THAT(directory.names(), UnorderedElementsAre(".srcextract.1-of-4.0.tmp", ".srcextract.2-of-4.0.tmp~",
                                                      ".srcextract.tmp", "night1"));
}

TEST(TemporaryNamesTest, OfADirectoryThatIsNotThereThereAreNone) {
  TemporaryFolder directory;
  remove_temporaries(directory / "gone", [](const std::string&) { return true; });
}

}  // namespace
}  // namespace srcextract
