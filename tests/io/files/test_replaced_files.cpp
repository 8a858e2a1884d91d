// Owner and group of files that an output replaces.
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "io/files/output_file.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

using testing::TemporaryFolder;

TEST(ReplacedFile, KeepsOwnerAndGroupOfWhatItReplaces) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  std::ofstream(path) << "old";
  if (chown(path.c_str(), 12345, 54321) != 0) GTEST_SKIP() << "root alone gives files away";
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  OutputFile file(path);
  file.write("new");
  file.commit();
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
  EXPECT_EQ(status.st_gid, 54321u);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

// If the process may not keep the file's group, members of the new group get no access that others lack.
TEST(ReplacedFile, AForeignGroupIsNotExchangedForOurs) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  for (const auto& [before, after] : {std::pair{0640u, 0600u}, {0660u, 0600u}, {0664u, 0644u}, {0644u, 0644u}}) {
    std::ofstream(path) << "old";
    if (chown(path.c_str(), 12345, 54321) != 0) GTEST_SKIP() << "root alone gives files away";
    ASSERT_EQ(chmod(path.c_str(), before), 0);
    ASSERT_EQ(chmod((directory / "").c_str(), 0777), 0);
    const pid_t child = fork();
    if (child == 0) {
      if (setgroups(0, nullptr) != 0 || setgid(23456) != 0 || setuid(12345) != 0) _exit(1);
      OutputFile file(path);
      file.write("new");
      file.commit();
      _exit(0);
    }
    int state = 1;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    ASSERT_EQ(state, 0);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_gid, 23456u);
    EXPECT_EQ(status.st_mode & 07777, after);
    ASSERT_EQ(unlink(path.c_str()), 0);
  }
}

}  // namespace
}  // namespace srcextract
