#include "io/files/output_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "io/files/output_file.hpp"
#include "io/files/scratch_file.hpp"
#include "stages/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;

void write(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OutputDirectory, IsNotThereBeforeItIsCommitted) {
  const TemporaryFolder folder;
  OutputDirectory directory(folder / "out/");
  fs::create_directories(directory.place() + "/a/b");
  write(directory.place() + "/a/b/c", "text");
  EXPECT_FALSE(fs::exists(folder / "out"));
  directory.commit();
  EXPECT_EQ(text_of(folder / "out/a/b/c"), "text");
}

TEST(OutputDirectory, LeavesNothingWhereItIsNotCommitted) {
  const TemporaryFolder folder;
  { write(OutputDirectory(folder / "out").place() + "/a", "text"); }
  EXPECT_TRUE(fs::is_empty(folder.string()));
}

TEST(OutputDirectory, TakesThePlaceOfTheOneBefore) {
  const TemporaryFolder folder;
  for (const std::string name : {"old", "new"}) {
    OutputDirectory directory(folder / "out");
    write(directory.place() + "/" + name, name);
    EXPECT_EQ(text_of(folder / "out/old"), name == "new" ? "old" : "");
    directory.commit();
  }
  EXPECT_EQ(text_of(folder / "out/new"), "new");
  EXPECT_FALSE(fs::exists(folder / "out/old"));
  EXPECT_THAT(folder.names(), ElementsAre("out"));
}

TEST(OutputDirectory, ForgetsWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  fs::create_directories(folder / ".out.partial/a");
  OutputDirectory directory(folder / "out");
  EXPECT_TRUE(fs::is_empty(directory.place()));
}

// On a file system that cannot exchange two names, a process is killed between the two renames, or after both.
TEST(OutputDirectory, RestoresWhatAKilledProcessMovedAway) {
  const TemporaryFolder folder;
  fs::create_directories(folder / ".out.partial.before");
  write(folder / ".out.partial.before/a", "old");
  { const OutputDirectory not_committed(folder / "out"); }
  EXPECT_EQ(text_of(folder / "out/a"), "old");

  fs::create_directories(folder / ".out.partial.before");
  write(folder / ".out.partial.before/a", "older");
  { const OutputDirectory not_committed(folder / "out"); }
  EXPECT_EQ(text_of(folder / "out/a"), "old");
  EXPECT_FALSE(fs::exists(folder / ".out.partial.before"));
}

TEST(OutputDirectory, IsWrittenByOneAtATime) {
  const TemporaryFolder folder;
  const OutputDirectory first(folder / "out");
  try {
    const OutputDirectory second(folder / "out");
    FAIL() << "both write it";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(), HasSubstr("another process is writing it"));
  }
  EXPECT_TRUE(fs::exists(first.place()));
}

TEST(OutputDirectory, LeavesAloneWhatLinksLeadTo) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "other");
  write(folder / "other/a", "text");
  fs::create_directory_symlink("other", folder / ".out.partial");
  EXPECT_THROW(OutputDirectory(folder / "out"), Error);
  fs::remove(folder / ".out.partial");
  fs::create_directory_symlink("other", folder / "out");
  OutputDirectory(folder / "out").commit();
  EXPECT_TRUE(fs::is_empty(folder / "out"));
  EXPECT_EQ(text_of(folder / "other/a"), "text");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("other", "out"));
}

TEST(OutputDirectory, LeavesTheNameToTheNextOnceItIsCommitted) {
  const TemporaryFolder folder;
  std::optional<OutputDirectory> first(folder / "out");
  first->commit();
  OutputDirectory second(folder / "out");
  write(second.place() + "/a", "text");
  first.reset();
  second.commit();
  EXPECT_EQ(text_of(folder / "out/a"), "text");
}

TEST(OutputDirectory, NeedsADirectoryToBeIn) {
  const TemporaryFolder folder;
  EXPECT_THROW(OutputDirectory(folder / "none/out"), Error);
}

TEST(ScratchFile, GivesBackWhatWasPutAsideAndHasNoName) {
  const TemporaryFolder folder;
  ScratchFile file(folder.string());
  const std::array<std::byte, 3> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  file.append(bytes);
  file.append(bytes);
  EXPECT_EQ(file.size(), 6);
  std::array<std::byte, 2> read{};
  file.read(2, read);
  EXPECT_THAT(read, ElementsAre(std::byte{3}, std::byte{1}));
  EXPECT_TRUE(fs::is_empty(folder.string()));
  EXPECT_THROW(file.read(5, read), Error);
  EXPECT_THROW(ScratchFile(folder / "none"), Error);
}

}  // namespace
}  // namespace srcextract
