#include "pipeline/machine/device_start.hpp"

#include <gtest/gtest.h>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

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

TEST(DeviceStart, WithoutAGpuThereIsNothingToWaitFor) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  DeviceStart start(4);
  EXPECT_FALSE(start.wait());
  EXPECT_TRUE(start.take_ready().empty());
  EXPECT_EQ(start.take_extractor(0), nullptr);
}

TEST(DeviceStart, HasAnExtractorForEveryWorker) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  DeviceStart start(3);
  start.show(zeros(2048), make_image_config(Config{}));
  for (int worker = 0; worker < 3; ++worker) {
    ASSERT_TRUE(start.wait());
    EXPECT_NE(start.take_extractor(0), nullptr);
  }
  const std::vector<DeviceStart::Ready> ready = start.take_ready();
  ASSERT_FALSE(ready.empty());
  EXPECT_EQ(ready.front().device.index, 0);
  EXPECT_TRUE(ready.front().tried);
  EXPECT_TRUE(start.take_ready().empty());
}

TEST(DeviceStart, WhoGoesWaitsForNobody) {
  {
    DeviceStart start(3);  // what images are like is never said
  }
  DeviceStart start(3);
  start.end_waiting();
  EXPECT_FALSE(start.wait());
}

}  // namespace
}  // namespace srcextract
