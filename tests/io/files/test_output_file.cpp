#include "io/files/output_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace {
std::atomic<int> fsyncs = 0;
}  // namespace

/// In the place of the C library's, to count how often the disk is waited for.
extern "C" int fsync(int descriptor) {
  ++fsyncs;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_file;
using testing::TemporaryFolder;

/// The message of the Error{output} that `action` throws.
template <class Action>
std::string output_error(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(OutputFileTest, IsThereWhenCommitted) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  OutputFile file(path);
  file.write("one ");
  const std::byte bytes[] = {std::byte{0}, std::byte{255}};
  file.write(bytes);
  file.write("");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(read_file(path), std::string("one \0\xff", 6));
  EXPECT_THAT(directory.names(), ElementsAre("catalog.csv"));
}

TEST(OutputFileTest, ASealedFileThatIsNotCommittedLeavesNothing) {
  TemporaryFolder directory;
  {
    OutputFile file(directory / "catalog.csv");
    file.write("new");
    file.seal();
  }
  EXPECT_THAT(directory.names(), IsEmpty());
}

TEST(OutputFileTest, InterruptedLeavesTheOldFileAndNothingElse) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  std::ofstream(path) << "old";
  {
    OutputFile file(path);
    file.write("new, but not all of it");
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(directory.names(), ElementsAre("catalog.csv"));
}

TEST(OutputFileTest, InterruptedLeavesNoFileWhereNoneWas) {
  TemporaryFolder directory;
  { OutputFile(directory / "catalog.csv").write("half"); }
  EXPECT_THAT(directory.names(), IsEmpty());
}

TEST(OutputFileTest, ReplacesTheOldFileAtOnce) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  std::ofstream(path) << "old and much longer";
  OutputFile file(path);
  file.write("new");
  EXPECT_EQ(read_file(path), "old and much longer");
  file.commit();
  EXPECT_EQ(read_file(path), "new");
}

TEST(OutputFileTest, TwoAtOnceForTheSamePathDoNotMix) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  OutputFile first(path);
  OutputFile second(path);
  first.write("1111");
  second.write("22");
  first.commit();
  EXPECT_EQ(read_file(path), "1111");
  second.commit();
  EXPECT_EQ(read_file(path), "22");
  EXPECT_THAT(directory.names(), ElementsAre("catalog.csv"));
}

TEST(OutputFileTest, HasThePermissionsThatTheUserWants) {
  TemporaryFolder directory;
  const mode_t before = umask(027);
  OutputFile file(directory / "catalog.csv");
  file.commit();
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat((directory / "catalog.csv").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(OutputFileTest, KeepsThePermissionsOfWhatItReplaces) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  const mode_t before = umask(022);
  for (const mode_t mode : {0600, 0640, 0664, 0400}) {
    std::ofstream(path) << "old";
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    OutputFile file(path);
    file.write("new");
    file.commit();
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
    EXPECT_EQ(read_file(path), "new");
    ASSERT_EQ(unlink(path.c_str()), 0);
  }
  umask(before);
}

TEST(OutputFileTest, TheLongestNameThatTheFileSystemAllowsWorks) {
  TemporaryFolder directory;
  const std::string name(NAME_MAX, 'n');
  OutputFile file(directory / name);
  file.write("x");
  file.commit();
  EXPECT_THAT(directory.names(), ElementsAre(name));
}

TEST(OutputFileTest, APathWithoutDirectoryIsInTheCurrentOne) {
  TemporaryFolder directory;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.string());
  OutputFile file("catalog.csv");
  file.write("here");
  file.commit();
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(directory / "catalog.csv"), "here");
}

TEST(OutputFileTest, AMissingDirectorySaysSo) {
  TemporaryFolder directory;
  const std::string path = directory / "missing/catalog.csv";
  const std::string message = output_error([&] { OutputFile file(path); });
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr("No such file or directory"));
  EXPECT_THAT(message, HasSubstr("create"));
}

/// The exit status of `body` in a process of its own, for what cannot be undone.
template <class Body>
int in_a_process(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 0 if the output to `path` fails with a message that holds `path` and every one of `parts`.
template <class Action>
int fails(const std::string& path, const std::vector<std::string>& parts, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    auto holds = [&](const std::string& part) { return message.find(part) != std::string::npos; };
    return error.kind() == ErrorKind::output && holds(path) && std::all_of(parts.begin(), parts.end(), holds) ? 0 : 1;
  }
  return 2;
}

TEST(OutputFileTest, MoreFilesThanMayBeOpenCanWaitForOneCommit) {
  TemporaryFolder directory;
  EXPECT_EQ(0, in_a_process([&] {
              const rlimit limit = {32, 32};
              if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 3;
              std::vector<OutputFile> files;
              for (int i = 0; i < 40; ++i) {
                files.emplace_back(directory / std::to_string(i)).write("new");
                files.back().seal();
                if (std::filesystem::exists(directory / std::to_string(i))) return 4;
              }
              commit(files);
              return 0;
            }));
  EXPECT_EQ(directory.names().size(), 40u);
  EXPECT_EQ(read_file(directory / "39"), "new");
}

TEST(OutputFileTest, AnUnwritableDirectorySaysSo) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  ASSERT_EQ(chmod(directory.string().c_str(), 0555), 0);
  EXPECT_EQ(0, in_a_process([&] {
              const uid_t nobody = 65534;
              if (geteuid() == 0 && setuid(nobody) != 0) return 3;
              return fails(path, {"Permission denied", "choose a directory that you may write to"},
                           [&] { OutputFile file(path); });
            }));
  ASSERT_EQ(chmod(directory.string().c_str(), 0755), 0);
}

TEST(OutputFileTest, APlaceWhereNoOneMayWriteSaysSo) {
  if (!std::filesystem::exists("/proc/self")) GTEST_SKIP() << "no /proc here";
  const std::string message = output_error([] { OutputFile file("/proc/self/catalog.csv"); });
  EXPECT_THAT(message, HasSubstr("cannot write /proc/self/catalog.csv"));
}

TEST(OutputFileTest, ADirectoryInTheWaySaysSoAndNothingIsLeft) {
  TemporaryFolder directory;
  std::filesystem::create_directory(directory / "catalog.csv");
  const std::string message = output_error([&] {
    OutputFile file(directory / "catalog.csv");
    file.commit();
  });
  EXPECT_THAT(message, HasSubstr("directory"));
  EXPECT_THAT(directory.names(), ElementsAre("catalog.csv"));
}

TEST(OutputFileTest, NoDeviceAndNoPipeIsReplaced) {
  TemporaryFolder directory;
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/null", directory / "link");
  for (const std::string& path : {directory / "pipe", directory / "link", std::string("/dev/null")}) {
    const std::string message = output_error([&] { OutputFile file(path); });
    EXPECT_THAT(message, HasSubstr("cannot write " + path + ": it is a device or a pipe"));
  }
  EXPECT_THAT(directory.names(), ::testing::UnorderedElementsAre("link", "pipe"));
}

TEST(OutputFileTest, AFileThatCannotBeWrittenToItsEndLeavesTheOldOne) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  std::ofstream(path) << "old";
  EXPECT_EQ(0, in_a_process([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit = {65536, 65536};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
              return fails(path, {"File too large", "ulimit -f"}, [&] {
                OutputFile file(path);
                for (int i = 0; i < 100; ++i) file.write(std::string(1000, 'x'));
                file.commit();
              });
            }));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(directory.names(), ElementsAre("catalog.csv"));
}

TEST(OutputFileTest, TooLongANameIsFoundBeforeAnythingIsWritten) {
  TemporaryFolder directory;
  const std::string path = directory / std::string(NAME_MAX + 1, 'n');
  const std::string message = output_error([&] { OutputFile file(path); });
  EXPECT_THAT(message, HasSubstr("File name too long; choose a shorter name, or rename the image"));
}

TEST(OutputFileTest, AKilledProcessLeavesNothing) {
  TemporaryFolder directory;
  const int unnamed = open(directory.string().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (unnamed < 0) GTEST_SKIP() << "this file system has no files without a name";
  close(unnamed);
  const std::string path = directory / "catalog.csv";
  std::ofstream(path) << "old";
  const pid_t child = fork();
  if (child == 0) {
    OutputFile file(path);
    file.write(std::string(std::size_t{1} << 23, 'x'));
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(directory.names(), ElementsAre("catalog.csv"));
}

TEST(OutputFileTest, WhereAFileCannotBeNamedLaterItHasATemporaryName) {
  TemporaryFolder directory;
  const std::string path = directory / "catalog.csv";
  constexpr int cannot_hide_proc = 77;
  const int code = in_a_process([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", "/proc", "tmpfs", 0, nullptr) != 0)
      return cannot_hide_proc;
    { OutputFile(path).write("half"); }
    if (!directory.names().empty()) return 1;
    OutputFile file(path);
    file.write("whole");
    if (directory.names().size() != 1) return 2;
    file.commit();
    return read_file(path) == "whole" && directory.names().size() == 1 ? 0 : 3;
  });
  if (code == cannot_hide_proc) GTEST_SKIP() << "only root may hide /proc";
  EXPECT_EQ(code, 0);
}

TEST(OutputFileTest, FilesThatBelongTogetherReplaceTheOldOnesTogether) {
  TemporaryFolder directory;
  std::ofstream(directory / "a") << "old a";
  std::vector<OutputFile> files;
  for (const char* name : {"a", "b", "c"}) {
    files.emplace_back(directory / name);
    files.back().write(std::string("new ") + name);
  }
  EXPECT_EQ(read_file(directory / "a"), "old a");
  commit(files);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(read_file(directory / name), std::string("new ") + name);
  EXPECT_EQ(directory.names().size(), 3u);
}

TEST(OutputFileTest, ACommitWaitsForTheDiskNowOrLater) {
  TemporaryFolder directory;
  const auto fsyncs_of_a_commit = [&](Flush flush) {
    std::vector<OutputFile> files;
    for (const char* name : {"a", "b"}) {
      files.emplace_back(directory / name);
      files.back().write(std::string("new ") + name);
    }
    const int before = fsyncs;
    commit(files, flush);
    return fsyncs - before;
  };
  EXPECT_EQ(fsyncs_of_a_commit(Flush::later), 0);
  EXPECT_EQ(read_file(directory / "a"), "new a");
  EXPECT_EQ(read_file(directory / "b"), "new b");
  EXPECT_EQ(directory.names().size(), 2u);
  FileSystem(directory.string()).flush();
  EXPECT_EQ(fsyncs_of_a_commit(Flush::now), 3);  // two files and their directory
}

TEST(OutputFileTest, AFileSystemThatIsNotThereCannotBeFlushed) {
  TemporaryFolder directory;
  EXPECT_THAT(output_error([&] { FileSystem{directory / "gone"}; }),
              HasSubstr("cannot write " + (directory / "gone") + ": No such file"));
}

TEST(OutputFileTest, WhereOneCannotBeMadeNoneIsReplaced) {
  TemporaryFolder directory;
  std::filesystem::create_directory(directory / "gone");
  std::ofstream(directory / "a") << "old a";
  {
    std::vector<OutputFile> files;
    files.emplace_back(directory / "a");
    files.back().write("new a");
    files.emplace_back(directory / "gone/b");
    std::filesystem::remove_all(directory / "gone");
    EXPECT_THAT(output_error([&] { commit(files); }), HasSubstr("gone/b"));
  }
  EXPECT_EQ(read_file(directory / "a"), "old a");
  EXPECT_THAT(directory.names(), ElementsAre("a"));
}

}  // namespace
}  // namespace srcextract
