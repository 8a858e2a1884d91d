#include "pipeline/batch/gpus.hpp"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <map>
#include <memory>
#include <thread>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t gigabyte = std::int64_t{1} << 30;

bool has_gpu() {
  try {
    return count_cuda_devices() > 0;
  } catch (const Error&) {
    return false;
  }
}

/// GPUs of 10 GB that exist in tests alone, and what became of each.
struct ToyGpus {
  explicit ToyGpus(int gpus) : count(gpus) {}

  CudaDevice start(int index) {
    if (index == broken) throw Error(ErrorKind::device, "out of order");
    if (index == slow) until.wait();
    CudaDevice device;
    device.index = index;
    device.free_memory = 10 * gigabyte;
    return device;
  }

  int count, broken = -1, slow = -1;
  std::latch until{1};
};

/// The calls share ownership of the toy GPUs: a thread that makes them may outlive the test.
GpuCalls calls_of(const std::shared_ptr<ToyGpus>& gpus) {
  return {.count = [gpus] { return gpus->count; }, .start = [gpus](int index) { return gpus->start(index); }};
}

Machine joining() {
  Machine machine;
  machine.devices_join = machine.may_fall_back = true;
  return machine;
}

/// Workers by device, when no more can begin.
std::map<int, int> workers_of(Gpus& gpus) {
  std::map<int, int> workers;
  while (const std::optional<Execution> execution = gpus.wait()) ++workers[execution->device->index];
  return workers;
}

const Machine machine = joining();

TEST(Gpus, WithoutAGpuThereIsNothingToWaitFor) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  Gpus gpus(machine, 4, 1);
  EXPECT_FALSE(gpus.wait());
}

TEST(Gpus, NoneJoinsARunThatHasChosenItsOwn) {
  const Machine chosen;
  EXPECT_FALSE(Gpus(chosen, 4, 1, calls_of(std::make_shared<ToyGpus>(1))).wait());
}

TEST(Gpus, HaveAnExtractorForEveryWorker) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  Gpus gpus(machine, 3, 2048 * 2048 * 8);
  for (int worker = 0; worker < 3; ++worker) {
    const std::optional<Execution> execution = gpus.wait();
    ASSERT_TRUE(execution);
    EXPECT_EQ(execution->device->index, worker % count_cuda_devices());
    EXPECT_NE(execution->extractor, nullptr);
  }
}

TEST(Gpus, ShareTheWorkers) {
  const auto toys = std::make_shared<ToyGpus>(4);
  Gpus gpus(machine, 10, gigabyte, calls_of(toys));
  EXPECT_EQ(workers_of(gpus), (std::map<int, int>{{0, 3}, {1, 3}, {2, 3}, {3, 3}}));
}

TEST(Gpus, HaveNoMoreWorkersThanThereIsRoomFor) {
  const auto toys = std::make_shared<ToyGpus>(2);
  Gpus gpus(machine, 16, 4 * gigabyte, calls_of(toys));
  EXPECT_EQ(workers_of(gpus), (std::map<int, int>{{0, 2}, {1, 2}}));
}

TEST(Gpus, HaveOneWorkerWhereAnImageIsNearlyTooLarge) {
  const auto toys = std::make_shared<ToyGpus>(1);
  Gpus gpus(machine, 16, 11 * gigabyte, calls_of(toys));
  EXPECT_EQ(workers_of(gpus), (std::map<int, int>{{0, 1}}));
}

TEST(Gpus, OneThatIsBrokenAndOneThatIsSlowHoldNobodyUp) {
  const auto toys = std::make_shared<ToyGpus>(3);
  toys->broken = 0;
  toys->slow = 1;
  Gpus gpus(machine, 3, gigabyte, calls_of(toys));
  const std::optional<Execution> first = gpus.wait();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->device->index, 2);
  toys->until.count_down();
  EXPECT_EQ(workers_of(gpus), (std::map<int, int>{{1, 1}}));
}

TEST(Gpus, TheEndOfARunWaitsForNone) {
  const auto toys = std::make_shared<ToyGpus>(2);
  toys->slow = 0;
  { Gpus gpus(machine, 3, gigabyte, calls_of(toys)); }
  Gpus gpus(machine, 3, gigabyte, calls_of(toys));
  gpus.end_waiting();
  EXPECT_FALSE(gpus.wait());
  toys->until.count_down();
}

TEST(Gpus, ALostOneIsReplacedByAnotherThenByTheCpu) {
  const auto toys = std::make_shared<ToyGpus>(2);
  Gpus gpus(machine, 2, gigabyte, calls_of(toys));
  std::optional<Execution> execution = gpus.wait();
  ASSERT_TRUE(execution && gpus.wait());
  const int first = execution->device->index;
  const Error lost(ErrorKind::device, "unspecified launch failure");
  gpus.replace(*execution, lost);
  ASSERT_TRUE(execution->device);
  EXPECT_EQ(execution->device->index, 1 - first);
  gpus.replace(*execution, lost);
  EXPECT_FALSE(execution->device);
}

// It still writes to the log, which is there until then, also where nobody had used it before.
TEST(GpusDeathTest, AProcessEndsAfterWhatIsUnderWay) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        GpuCalls calls = calls_of(std::make_shared<ToyGpus>(1));
        calls.start = [](int) {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the process is ending by then
          std::fputs("under way\n", stderr);
          return CudaDevice();
        };
        { const Gpus gpus(machine, 1, gigabyte, calls); }
        spdlog::set_level(spdlog::level::debug);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "under way");
}

}  // namespace
}  // namespace srcextract
