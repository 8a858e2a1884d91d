// A GPU that is lost while the process works on it. A program of its own, with one test: the process cannot have the
// device back.
#include <memory>
#include <vector>

#include "tests/pipeline/engine/extractions.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "tests/cuda_lost/trap.hpp"
#endif

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

using testing::Field;
using testing::source_of;

class LostDevice : public testing::StageTest<Gpu> {
 protected:
  void expect_device_error(CudaExtractor& extractor) {
    try {
      extractor.extract(source_of(sky_), Config{}, {});
      ADD_FAILURE() << "extracted on a lost GPU";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
    }
  }
  void expect_to_work(CudaExtractor& extractor) {
    testing::expect_same(extractor.extract(source_of(sky_), Config{}, {}),
                         testing::extract_on_cpu(source_of(sky_), Config{}), "sky");
  }

  Field sky_ = testing::star_field({300, 200}, 0, 1, 200, 1);
};

TEST_F(LostDevice, IsToldFromOneThatWorksAndLeftBehind) {
  const std::vector<CudaDevice> devices = find_cuda_devices();
  ASSERT_EQ(devices.front().index, 0);
  auto used = std::make_unique<CudaExtractor>(0, Cpu{2});
  auto fresh = std::make_unique<CudaExtractor>(0, Cpu{2});
  expect_to_work(*used);
  EXPECT_TRUE(device_works(0));

  testing::lose_device(where());

  expect_device_error(*used);
  EXPECT_FALSE(device_works(0));
  expect_device_error(*fresh);
  used.reset();
  fresh.reset();
  EXPECT_FALSE(device_works(0));
  EXPECT_THROW(find_cuda_device(0), Error);

  // After the fault of a kernel CUDA refuses the process every other GPU, too; where it does not, that must work.
  for (const CudaDevice& device : devices) {
    if (!device_works(device.index)) continue;
    CudaExtractor other(device.index, Cpu{2});
    expect_to_work(other);
  }
}

#else

TEST(LostDevice, IsTested) {
  GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif

}  // namespace
}  // namespace srcextract
