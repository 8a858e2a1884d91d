#include "survey/journal/directory_lock.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/survey/journal/processes.hpp"
#include "tests/survey/journal/warnings.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using testing::fail_on;
using testing::ForkedProcess;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TemporaryFolder;

std::string text_of(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// The message of the Error{output} that locking gives, "" if it works; `stay` is called while it is locked.
std::string lock_and(const TemporaryFolder& directory, const Shard& shard,
                     const std::function<void(const std::string&)>& stay) {
  try {
    DirectoryLock lock(directory.string(), shard, fail_on);
    stay("locked");
    return "";
  } catch (const Error& error) {
    return error.kind() == ErrorKind::output ? error.what() : "not an Error{output}";
  }
}

void hold(const TemporaryFolder& directory, const Shard& shard, const ForkedProcess::Stay& stay) {
  stay(lock_and(directory, shard, stay));
}

std::string try_to_lock(const TemporaryFolder& directory, const Shard& shard) {
  return lock_and(directory, shard, [](const std::string&) {});
}

TEST(DirectoryLockTest, ShardsOfTheSameCountGoSideBySideAndNothingElse) {
  const std::vector<Shard> shards = {{1, 1}, {1, 2}, {2, 2}, {1, 3}, {3, 3}, {2, 1000}, {999, 1000}};
  for (const Shard& first : shards) {
    TemporaryFolder directory;
    const ForkedProcess holder([&](const auto& stay) { hold(directory, first, stay); });
    ASSERT_EQ(holder.said(), "locked");
    for (const Shard& second : shards) {
      const bool side_by_side = first.count == second.count && first.index != second.index;
      const std::string message = try_to_lock(directory, second);
      EXPECT_EQ(message.empty(), side_by_side) << text_of(second) << " beside " << text_of(first) << ": " << message;
      if (side_by_side) continue;
      EXPECT_THAT(message, HasSubstr("process " + std::to_string(holder.pid()) + " on " + this_host() +
                                     " is at work in " + directory.string()));
      EXPECT_EQ(message.find("on shard " + text_of(first)) != std::string::npos, first.count > 1) << message;
    }
  }
}

TEST(DirectoryLockTest, ManyShardsAtOnceAreAllNamed) {
  TemporaryFolder directory;
  std::list<ForkedProcess> holders;
  for (int index = 1; index <= 8; ++index) {
    holders.emplace_back([&](const auto& stay) { hold(directory, {index, 8}, stay); });
    ASSERT_EQ(holders.back().said(), "locked");
  }
  int index = 1;
  for (const ForkedProcess& holder : holders)
    EXPECT_THAT(try_to_lock(directory, {index++, 8}), HasSubstr("process " + std::to_string(holder.pid()) + " on "));
}

TEST(DirectoryLockTest, AKilledProcessHasItNoMore) {
  TemporaryFolder directory;
  ForkedProcess holder([&](const auto& stay) { hold(directory, {}, stay); });
  ASSERT_EQ(holder.said(), "locked");
  EXPECT_NE(try_to_lock(directory, {1, 2}), "");
  holder.kill();
  EXPECT_EQ(try_to_lock(directory, {1, 2}), "");
  EXPECT_EQ(read_file(directory / "journal.lock"), "1/2 " + std::to_string(getpid()) + " " + this_host() + "\n");
  EXPECT_THAT(directory.names(), ::testing::ElementsAre("journal.lock"));
}

TEST(DirectoryLockTest, TwoOfOneProcessExcludeEachOtherAsWell) {
  TemporaryFolder directory;
  const DirectoryLock lock(directory.string(), {}, fail_on);
  EXPECT_NE(try_to_lock(directory, {}), "");
}

TEST(DirectoryLockTest, OfManyThatStartAtOnceNoTwoAreInEachOthersWay) {
  const std::vector<Shard> shards = {{1, 1}, {1, 1}, {1, 2}, {2, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 3}};
  for (int round = 0; round < 30; ++round) {
    TemporaryFolder directory;
    std::list<ForkedProcess> processes;
    for (const Shard& shard : shards) processes.emplace_back([&](const auto& stay) { hold(directory, shard, stay); });
    std::vector<Shard> inside;
    std::size_t i = 0;
    for (const ForkedProcess& process : processes) {
      if (process.said() == "locked") inside.push_back(shards[i]);
      ++i;
    }
    ASSERT_FALSE(inside.empty());
    for (std::size_t a = 0; a < inside.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_TRUE(inside[a].count == inside[b].count && inside[a].index != inside[b].index)
            << text_of(inside[a]) << " beside " << text_of(inside[b]);
  }
}

TEST(DirectoryLockTest, OfTwoThatStartAtOnceOneWaitsUntilTheOtherHasLocked) {
  TemporaryFolder directory;
  const int lock_file = open((directory / "journal.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct flock gate {};
  gate.l_type = F_WRLCK;
  gate.l_len = 1;
  ASSERT_EQ(fcntl(lock_file, F_OFD_SETLK, &gate), 0);
  {
    const ForkedProcess one([&](const auto& stay) {
      close(lock_file);
      hold(directory, {1, 2}, stay);
    });
    const ForkedProcess two([&](const auto& stay) {
      close(lock_file);
      hold(directory, {1, 3}, stay);
    });
    usleep(200000);
    EXPECT_EQ(read_file(directory / "journal.lock"), "") << "it was locked while another looked";
    close(lock_file);
    EXPECT_EQ((one.said() == "locked") + (two.said() == "locked"), 1);
  }
}

TEST(DirectoryLockTest, ADirectoryThatIsNotThereSaysSo) {
  TemporaryFolder directory;
  try {
    DirectoryLock lock(directory / "gone", {}, fail_on);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("gone/journal.lock"), HasSubstr("create its directory")));
  }
}

/// From here on locks are answered as by a file system that has none. False where that cannot be had.
bool lose_locks() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLKW, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(DirectoryLockTest, AFileSystemWithoutLocksIsWarnedOf) {
  TemporaryFolder directory;
  const ForkedProcess process([&](const ForkedProcess::Stay& stay) {
    if (!lose_locks()) stay("cannot");
    std::string warnings;
    const DirectoryLock lock(directory.string(), {}, [&](const std::string& warning) { warnings += warning; });
    stay(warnings);
  });
  const std::string said = process.said();
  if (said == "cannot") GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(said, "the file system of " + directory.string() +
                      " has no locks: make sure that no other process is at work there");
}

}  // namespace
}  // namespace srcextract
