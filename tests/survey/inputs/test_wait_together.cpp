#include "survey/inputs/wait_together.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace srcextract {
namespace {

TEST(WaitTogether, EachIsDoneOnce) {
  for (const std::size_t count : {0u, 1u, 7u, 31u, 33u, 5000u}) {
    std::vector<std::atomic<int>> done(count);
    wait_together(count, [&](std::size_t i) { ++done[i]; });
    EXPECT_TRUE(std::ranges::all_of(done, [](int times) { return times == 1; })) << count;
  }
}

/// More than this machine may have cores: nobody goes on before so many wait.
TEST(WaitTogether, ManyWaitAtTheSameTime) {
  constexpr int together = 24;
  std::mutex mutex;
  std::condition_variable enough;
  int waiting = 0, alone = 0;
  wait_together(1000, [&](std::size_t) {
    std::unique_lock lock(mutex);
    if (++waiting == together) enough.notify_all();
    if (!enough.wait_for(lock, std::chrono::seconds(30), [&] { return waiting >= together; })) ++alone;
  });
  EXPECT_EQ(alone, 0);
}

TEST(WaitTogether, WhatIsThrownIsTheFirstInTheirOrderAndAllBeforeItAreDone) {
  for (int round = 0; round < 50; ++round) {
    std::vector<std::atomic<bool>> done(2000);
    try {
      wait_together(done.size(), [&](std::size_t i) {
        if (i % 700 == 650) throw std::runtime_error(std::to_string(i));
        done[i] = true;
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "650");
    }
    EXPECT_TRUE(std::all_of(done.begin(), done.begin() + 650, [](const auto& one) { return one.load(); }));
  }
}

}  // namespace
}  // namespace srcextract
