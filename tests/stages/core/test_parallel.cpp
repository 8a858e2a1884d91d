#include "stages/core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "stages/core/stop.hpp"

namespace srcextract {
namespace {

TEST(ParallelFor, CoversEveryIndexOnceInPiecesThatBeginAtMultiplesOfTheGrain) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> seen(1003);
    parallel_for(1003, 10, Cpu{threads}, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_EQ(begin % 10, 0);
      EXPECT_EQ(end, std::min<std::int64_t>(1003, begin + 10));
      for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (const auto& count : seen) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, DoesNothingForNothing) {
  parallel_for(0, 10, Cpu{4}, [](std::int64_t, std::int64_t) { FAIL(); });
}

TEST(ParallelFor, RethrowsWhatAPieceThrows) {
  const auto fail = [](std::int64_t begin, std::int64_t) {
    if (begin == 70) throw std::out_of_range("seventy");
  };
  EXPECT_THROW(parallel_for(100, 10, Cpu{1}, fail), std::out_of_range);
  EXPECT_THROW(parallel_for(100, 10, Cpu{3}, fail), std::out_of_range);
}

TEST(StopScope, EndsTheWorkOfAllThreadsBetweenItsPieces) {
  for (const int threads : {1, 3}) {
    std::atomic<bool> stop = false;
    std::atomic<int> begun = 0;
    const StopScope asked(&stop);
    EXPECT_THROW(parallel_for(100'000, 1, Cpu{threads},
                              [&](std::int64_t, std::int64_t) {
                                if (++begun == 10) stop = true;
                              }),
                 Stopped);
    EXPECT_GE(begun, 10);
    EXPECT_LT(begun, 100'000);
    EXPECT_THROW(parallel_for(1, 1, Cpu{threads}, [](std::int64_t, std::int64_t) { FAIL(); }), Stopped);
  }
  int done = 0;
  parallel_for(10, 1, Cpu{1}, [&](std::int64_t, std::int64_t) { ++done; });
  EXPECT_EQ(done, 10);  // nobody is asked any more
}

TEST(Errand, IsRunBetweenPiecesByTheThreadThatHasItAlone) {
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<bool> stop = false;
  std::atomic<int> elsewhere = 0;
  Errand errand(std::chrono::milliseconds(0), [&] {
    elsewhere += std::this_thread::get_id() != own;
    stop = true;
  });
  const StopScope asked(&stop);
  const ErrandScope has(&errand);
  // The other threads wait for it: they could have done all pieces before this one has done its first.
  const auto work = [&](std::int64_t, std::int64_t) {
    while (std::this_thread::get_id() != own && !stop) std::this_thread::yield();
  };
  EXPECT_THROW(parallel_for(100'000, 1, Cpu{3}, work), Stopped);
  EXPECT_EQ(elsewhere, 0);
}

TEST(StopScope, ReachesLoopsWithinPieces) {
  std::atomic<bool> stop = false;
  std::atomic<int> begun = 0;
  const StopScope asked(&stop);
  const auto work = [&](std::int64_t, std::int64_t) {
    parallel_for(100'000, 1, Cpu{1}, [&](std::int64_t, std::int64_t) {
      if (++begun == 10) stop = true;
    });
  };
  EXPECT_THROW(parallel_for(2, 1, Cpu{2}, work), Stopped);
  EXPECT_LT(begun, 100'000);
}

TEST(StartableThreads, IsWhatWasWantedWhereNothingLimitsIt) {
  EXPECT_EQ(startable_threads(1), 1);
  EXPECT_EQ(startable_threads(5), 5);
}

#if !defined(SRCEXTRACT_SANITIZED)  // sanitizers need more address space than is left
TEST(StartableThreads, IsFewerWhereMemoryIsLimited) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        rlimit limit;
        limit.rlim_cur = limit.rlim_max = std::uint64_t{300} << 20;
        setrlimit(RLIMIT_AS, &limit);  // room for some stacks of 8 MB, not for a thousand
        const int threads = startable_threads(1000);
        _exit(threads >= 1 && threads < 1000 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace srcextract
