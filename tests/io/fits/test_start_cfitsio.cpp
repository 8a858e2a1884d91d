// The first files of a process, opened by several threads at once.
#include "io/fits/start_cfitsio.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <thread>
#include <vector>

#include "tests/io/support/io_test_support.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract::testing {
namespace {

/// Does not return. A process that waits for ever is killed.
[[noreturn]] void open_at_once(const std::string& path) {
  constexpr int count = 4;
  alarm(10);
  std::barrier together(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      together.arrive_and_wait();
      for (int again = 0; again < 3; ++again) {
        if (open_fits_images(path, "auto").size() != 1) _exit(2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(0);
}

TEST(StartCfitsio, ManyThreadsMayOpenTheFirstFiles) {
  const std::string path = source_file("data/sky.fits");
  for (int process = 0; process < 150; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) open_at_once(path);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "process " << process << " was killed by signal " << WTERMSIG(status);
    ASSERT_EQ(WEXITSTATUS(status), 0);
  }
}

}  // namespace
}  // namespace srcextract::testing
