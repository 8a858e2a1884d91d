#include "pipeline/machine/memory_budget.hpp"

#include <gmock/gmock.h>

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

TEST(MemoryBudget, IsNeverOverdrawnAndEveryoneHasATurn) {
  MemoryBudget budget(100, true);
  std::atomic<std::int64_t> in_use = 0, most = 0, turns = 0;
  const auto work = [&](std::int64_t bytes) {
    for (int i = 0; i < 500; ++i) {
      const MemoryBudget::Share share = budget.take(bytes);
      const std::int64_t now = in_use += bytes;
      for (std::int64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
      ++turns;
      in_use -= bytes;
    }
  };
  {
    std::vector<std::jthread> workers;
    for (const std::int64_t bytes : {1, 10, 30, 60, 100}) workers.emplace_back(work, bytes);
  }
  EXPECT_EQ(turns, 5 * 500);
  EXPECT_LE(most, 100);
}

/// A thread that waits for what only another can give, once it does.
class Waiting {
 public:
  /// Of the thread that is to wait, just before it does.
  void begins() { thread_ = gettid(); }
  void until_it_does() const {  // or is done
    while (thread_ == 0 || is_running()) std::this_thread::yield();
  }

 private:
  bool is_running() const {
    std::ifstream file("/proc/self/task/" + std::to_string(thread_) + "/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.find(") R ") != std::string::npos;
  }

  std::atomic<pid_t> thread_ = 0;
};

TEST(MemoryBudget, WhoWantsAllWaitsForTheOthersAndIsNotOvertaken) {
  MemoryBudget budget(100, true);
  MemoryBudget::Share first = budget.take(50);
  std::atomic<bool> large = false, small = false;
  Waiting of_all, of_little;
  std::jthread wants_all([&] {
    of_all.begins();
    const MemoryBudget::Share share = budget.take(100);
    EXPECT_FALSE(small);
    large = true;
  });
  of_all.until_it_does();
  std::jthread wants_little([&] {
    of_little.begins();
    const MemoryBudget::Share share = budget.take(1);
    small = true;
  });
  of_little.until_it_does();
  EXPECT_FALSE(large);
  EXPECT_FALSE(small);
  first.shrink(0);
  wants_all.join();
  wants_little.join();
  EXPECT_TRUE(large);
  EXPECT_TRUE(small);
}

TEST(MemoryBudget, ShrinkingFreesTheRest) {
  MemoryBudget budget(100, true);
  MemoryBudget::Share first = budget.take(100);
  first.shrink(40);
  MemoryBudget::Share second = budget.take(60);
  first = std::move(second);
  const MemoryBudget::Share third = budget.take(40);
}

TEST(MemoryBudget, MoreThanAllIsAnErrorOrAllOfIt) {
  MemoryBudget strict(100, true);
  EXPECT_THROW(strict.take(101), Error);
  MemoryBudget lenient(100, false);
  { const MemoryBudget::Share share = lenient.take(1000); }
  const MemoryBudget::Share share = lenient.take(100);
}

TEST(AvailableMemory, IsSomeAndNotMoreThanThereIs) {
  EXPECT_GT(available_memory().bytes, 1 << 20);
  EXPECT_LE(available_memory().bytes, std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
}

}  // namespace
}  // namespace srcextract
