#include "pipeline/machine/device_start.hpp"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <atomic>
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

PixelSource zeros(std::int64_t side) {
  return {{side, side}, {}, {}};
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
  std::atomic<int> prepared = 0;
};

/// Who calls may outlive the test.
GpuCalls calls_of(const std::shared_ptr<ToyGpus>& gpus) {
  return {.count = [gpus] { return gpus->count; },
          .start = [gpus](int index) { return gpus->start(index); },
          .prepare =
              [gpus](CudaExtractor&, const Shape& shape, const PixelFormat&, const Config&) {
                EXPECT_EQ(shape.width, 2048);
                ++gpus->prepared;
              }};
}

/// Extractors by device, when there are no more to come.
std::map<int, int> take_all(DeviceStart& start) {
  int told = 0;
  while (start.wait()) ++told;
  std::map<int, int> taken;
  for (int device = 0; device < 8; ++device) {
    for (; start.take_extractor(device) != nullptr; --told) ++taken[device];
  }
  EXPECT_EQ(told, 0);
  return taken;
}

TEST(DeviceStart, WithoutAGpuThereIsNothingToWaitFor) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  DeviceStart start(4, 1);
  EXPECT_FALSE(start.wait());
  EXPECT_TRUE(start.take_ready().empty());
  EXPECT_EQ(start.take_extractor(0), nullptr);
}

TEST(DeviceStart, HasAnExtractorForEveryWorker) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  DeviceStart start(3, 2048 * 2048 * 8);
  start.show(zeros(2048), make_image_config(Config{}));
  for (int worker = 0; worker < 3; ++worker) {
    ASSERT_TRUE(start.wait());
    EXPECT_NE(start.take_extractor(0), nullptr);
  }
  const std::vector<DeviceStart::Ready> ready = start.take_ready();
  ASSERT_FALSE(ready.empty());
  EXPECT_EQ(ready.front().device.index, 0);
  EXPECT_TRUE(start.take_ready().empty());
}

TEST(DeviceStart, GpusShareTheWorkers) {
  const auto gpus = std::make_shared<ToyGpus>(4);
  DeviceStart start(10, gigabyte, calls_of(gpus));
  start.show(zeros(2048), make_image_config(Config{}));
  EXPECT_EQ(take_all(start), (std::map<int, int>{{0, 3}, {1, 3}, {2, 3}, {3, 3}}));
  EXPECT_EQ(start.take_ready().size(), 4);
  EXPECT_EQ(gpus->prepared, 4 * (3 + 1));  // the first of each twice: it is tried
}

TEST(DeviceStart, NoMoreExtractorsThanThereIsRoomFor) {
  const auto gpus = std::make_shared<ToyGpus>(2);
  DeviceStart start(16, 4 * gigabyte, calls_of(gpus));
  start.show(zeros(2048), make_image_config(Config{}));
  EXPECT_EQ(take_all(start), (std::map<int, int>{{0, 2}, {1, 2}}));
}

// Whoever finds room for one alone still has it.
TEST(DeviceStart, OneWhereAnImageIsNearlyTooLarge) {
  const auto gpus = std::make_shared<ToyGpus>(1);
  DeviceStart start(16, 11 * gigabyte, calls_of(gpus));
  start.show(zeros(2048), make_image_config(Config{}));
  EXPECT_EQ(take_all(start), (std::map<int, int>{{0, 1}}));
}

TEST(DeviceStart, OneThatIsBrokenAndOneThatIsSlowHoldNobodyUp) {
  const auto gpus = std::make_shared<ToyGpus>(3);
  gpus->broken = 0;
  gpus->slow = 1;
  {
    DeviceStart start(3, gigabyte, calls_of(gpus));
    start.show(zeros(2048), make_image_config(Config{}));
    ASSERT_TRUE(start.wait());
    EXPECT_EQ(start.take_extractor(0), nullptr);
    EXPECT_EQ(start.take_extractor(1), nullptr);
    EXPECT_NE(start.take_extractor(2), nullptr);
    ASSERT_EQ(start.take_ready().size(), 1);
    gpus->until.count_down();
    EXPECT_EQ(take_all(start), (std::map<int, int>{{1, 1}}));
    EXPECT_EQ(start.take_ready().size(), 1);
  }
}

TEST(DeviceStart, WhoHasMadeItsOwnIsNotWaitedFor) {
  const auto gpus = std::make_shared<ToyGpus>(1);
  gpus->slow = 0;
  DeviceStart start(2, gigabyte, calls_of(gpus));
  start.show(zeros(2048), make_image_config(Config{}));
  EXPECT_EQ(start.take_extractor(0), nullptr);
  start.end_waiting();
  EXPECT_FALSE(start.wait());
  gpus->until.count_down();
}

TEST(DeviceStart, WhoGoesWaitsForNobody) {
  const auto gpus = std::make_shared<ToyGpus>(2);
  {
    DeviceStart start(3, gigabyte, calls_of(gpus));  // what images are like is never said
  }
  DeviceStart start(3, gigabyte, calls_of(gpus));
  start.end_waiting();
  EXPECT_FALSE(start.wait());
}

// It still writes to the log, which is there until then, also where nobody had used it before.
TEST(DeviceStartDeathTest, AProcessEndsAfterWhatIsUnderWay) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        GpuCalls calls = calls_of(std::make_shared<ToyGpus>(1));
        calls.start = [](int) {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the process is ending by then
          std::fputs("under way\n", stderr);
          return CudaDevice();
        };
        { const DeviceStart start(1, gigabyte, calls); }
        spdlog::set_level(spdlog::level::debug);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "under way");
}

}  // namespace
}  // namespace srcextract
