#include "io/files/appended_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

using testing::read_file;
using testing::TemporaryFolder;

TEST(AppendedFileTest, KeepsWhatIsThereAndAddsToIt) {
  TemporaryFolder directory;
  const std::string path = directory / "log";
  AppendedFile(path).append("one\n");
  AppendedFile again(path);
  again.append("two\nthree\n");
  EXPECT_EQ(read_file(path), "one\ntwo\nthree\n");
  again.append("four\n");
  EXPECT_EQ(read_file(path), "one\ntwo\nthree\nfour\n");
}

TEST(AppendedFileTest, ATornLineIsCutOff) {
  TemporaryFolder directory;
  // Around the size of the blocks it is looked for in.
  for (const std::size_t kept : {0, 1, 65535, 65536, 65537, 200000}) {
    for (const std::size_t torn : {0, 1, 65535, 65536, 65537, 200000}) {
      std::string whole(kept, 'k');
      if (kept > 0) whole.back() = '\n';
      const std::string path = directory.write("log", whole + std::string(torn, 't'));
      AppendedFile(path).append("next\n");
      EXPECT_TRUE(read_file(path) == whole + "next\n") << kept << " and " << torn;
    }
  }
}

TEST(AppendedFileTest, WhatDoesNotFitIsNotThereAtAll) {
  TemporaryFolder directory;
  const std::string path = directory / "log";
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    AppendedFile file(path);
    file.append("one\n");
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    try {
      file.append(std::string(2000, 'x') + "\n");
    } catch (const Error& error) {
      const bool says_so = std::string(error.what()).find(path + ": File too large; raise") != std::string::npos;
      _exit(says_so && error.kind() == ErrorKind::output ? 0 : 3);
    }
    _exit(4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(path), "one\n");
}

TEST(AppendedFileTest, NothingIsAddedToAFileThatIsNoLongerInItsPlace) {
  TemporaryFolder directory;
  const std::string path = directory / "below/log";
  const auto move_away = [&] { std::filesystem::rename(directory / "below", directory / "elsewhere"); };
  const auto remove = [&] { std::filesystem::remove_all(directory / "below"); };
  const auto replace = [&] {
    move_away();
    std::filesystem::create_directory(directory / "below");
    directory.write("below/log", "one\n");
  };
  for (const std::function<void()>& change : std::vector<std::function<void()>>{move_away, remove, replace}) {
    std::filesystem::remove_all(directory / "below");
    std::filesystem::remove_all(directory / "elsewhere");
    std::filesystem::create_directory(directory / "below");
    AppendedFile file(path);
    file.append("one\n");
    change();
    try {
      file.append("two\n");
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::storage);
      EXPECT_THAT(error.what(), ::testing::StartsWith(path + " was moved, removed or replaced"));
    }
    for (const std::string& there : {path, directory / "elsewhere/log"}) {
      if (!std::filesystem::exists(there)) continue;
      EXPECT_EQ(read_file(there), "one\n");
    }
  }
}

TEST(AppendedFileTest, ADirectoryThatIsNotThereSaysSo) {
  TemporaryFolder directory;
  try {
    AppendedFile file(directory / "gone/log");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("gone/log: No such file or directory; create its directory"));
  }
}

}  // namespace
}  // namespace srcextract
