// Which GPUs there are, and several of them in one process.
#include <gmock/gmock.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/pipeline/engine/extractions.hpp"

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

using testing::Field;
using testing::source_of;

class Devices : public testing::StageTest<Gpu> {};

TEST_F(Devices, AllThatCanBeUsedAreFound) {
  const std::vector<CudaDevice> devices = find_cuda_devices();
  ASSERT_FALSE(devices.empty());
  for (const CudaDevice& device : devices) {
    EXPECT_EQ(find_cuda_device(device.index).name, device.name);
    EXPECT_GT(device.free_memory, 0);
    EXPECT_TRUE(device_works(device.index));
  }
}

TEST_F(Devices, OneThatIsNotThereIsSaidNotToBe) {
  const int none = find_cuda_devices().back().index + 1;
  EXPECT_FALSE(device_works(none));
  try {
    CudaExtractor(none, Cpu{1}).extract(testing::unreadable({64, 64}), Config{}, {});
    FAIL() << "extracted on a GPU that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
  }
  EXPECT_THROW(find_cuda_device(none), Error);
}

/// Two on two devices; on one device if there is no other.
class TwoExtractors : public Devices {
 protected:
  void SetUp() override {
    Devices::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    second_ = std::make_unique<CudaExtractor>(find_cuda_devices().back().index, Cpu{3});
  }
  static void expect_as_on_cpu(CudaExtractor& extractor, const Field& field) {
    const Extraction cpu = testing::extract_on_cpu(source_of(field), Config{});
    testing::expect_same(extractor.extract(source_of(field), Config{}, {}), cpu, field.name);
    const Field tile = testing::star_field({64, 64}, 0, 1, 200, 2);
    testing::expect_same(extractor.extract(source_of(tile), Config{}, {}),
                         testing::extract_on_cpu(source_of(tile), Config{}), "tile");
  }

  // Of several chunks, so that several threads read it.
  Field sky_ = testing::star_field({1500, 1200}, 0, 1, 300, 1);
  std::unique_ptr<CudaExtractor> first_ = std::make_unique<CudaExtractor>(0, Cpu{3});
  std::unique_ptr<CudaExtractor> second_;
};

TEST_F(TwoExtractors, TakeTurnsInOneThread) {
  for (int turn = 0; turn < 3; ++turn) {
    expect_as_on_cpu(*first_, sky_);
    expect_as_on_cpu(*second_, sky_);
  }
}

TEST_F(TwoExtractors, GoFromThreadToThread) {
  for (int turn = 0; turn < 3; ++turn) {
    std::jthread([&] {
      expect_as_on_cpu(*second_, sky_);
      expect_as_on_cpu(*first_, sky_);
    }).join();
  }
  std::jthread([&] { second_.reset(); }).join();
  expect_as_on_cpu(*first_, sky_);
}

TEST_F(TwoExtractors, WorkAtOnce) {
  std::jthread other([&] {
    for (int image = 0; image < 5; ++image) expect_as_on_cpu(*second_, sky_);
  });
  for (int image = 0; image < 5; ++image) expect_as_on_cpu(*first_, sky_);
}

#else

TEST(Devices, AreTested) {
  GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif

}  // namespace
}  // namespace srcextract
