#include "pipeline/machine/backend_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <span>
#include <string>

#include "pipeline/machine/backend.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/image_config.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

Workload images(std::int64_t count, std::int64_t side) {
  Workload work;
  work.pixel_bytes = count * side * side * static_cast<std::int64_t>(sizeof(float));
  work.several_images = count > 1;
  work.images = count;
  return work;
}

// What was measured on one H200 and 16 cores of its host, lesson.yaml, the whole process in seconds: the CPU alone, and
// what `auto` would have with a GPU (tests/bench/HISTORY.md).
struct Measured {
  std::int64_t count, side;
  double cpu, gpu;
};
constexpr Measured measured[] = {
    {1, 2048, 0.0313, 0.379}, {1, 8192, 0.0656, 0.378}, {1, 16384, 0.148, 0.392},  {12, 4096, 0.107, 0.465},
    {24, 4096, 0.182, 0.523}, {40, 4096, 0.256, 0.365}, {100, 4096, 0.504, 0.631}, {189, 4096, 0.948, 0.733},
};

TEST(BackendChoice, IsWhatWasMeasuredToBeFaster) {
  for (const Measured& run : measured)
    EXPECT_EQ(estimate_times(images(run.count, run.side), 16).favours_gpu(), run.gpu < run.cpu)
        << run.count << " x " << run.side;
}

TEST(BackendChoice, EstimatesAreWithinAThirdOfWhatWasMeasured) {
  for (const Measured& run : measured) {
    const TimeEstimate times = estimate_times(images(run.count, run.side), 16);
    // What takes a tenth of a second is mostly the program's start.
    if (run.cpu > 0.12) {
      EXPECT_LT(std::abs(times.cpu / run.cpu - 1), 0.34) << run.count << " x " << run.side;
    }
    EXPECT_LT(std::abs(times.gpu / run.gpu - 1), 0.34) << run.count << " x " << run.side;
  }
}

TEST(BackendChoice, MoreThreadsArgueForTheCpuAndMorePixelsAgainstIt) {
  EXPECT_TRUE(estimate_times(images(1, 16384), 1).favours_gpu());
  EXPECT_FALSE(estimate_times(images(1, 16384), 16).favours_gpu());
  EXPECT_TRUE(estimate_times(images(1, 65536), 16).favours_gpu());
  EXPECT_FALSE(estimate_times({}, 1).favours_gpu());
}

TEST(BackendChoice, AWideKernelIsWorkForAGpu) {
  Workload work = images(1, 8192);
  EXPECT_FALSE(estimate_times(work, 16).favours_gpu());
  work.multiply_adds = 63.0 * 63 * 8192 * 8192;
  EXPECT_TRUE(estimate_times(work, 16).favours_gpu());
}

TEST(BackendChoice, ManyImagesAreBegunByTheCpu) {
  Workload work = images(200, 4096);
  const double together = estimate_times(work, 16).gpu;
  work.images = 31;  // of which half of 16 threads would have but one
  EXPECT_LT(together, estimate_times(work, 16).gpu);
  EXPECT_TRUE(estimate_times(images(32, 64), 16).cpu_begins);
  EXPECT_FALSE(estimate_times(images(31, 64), 16).cpu_begins);
}

// A visit of 189 images of 4096²: a thread takes 0.07 s for one with lesson.yaml, and 0.37 s with sextractor.yaml. A
// GPU is there after 0.3 s.
TEST(BackendChoice, TheCpuBeginsNothingThatTakesLongerThanAGpuToStart) {
  Workload visit = images(189, 4096);
  EXPECT_TRUE(estimate_times(visit, 16).cpu_begins);
  visit.divided_bytes = visit.pixel_bytes;
  EXPECT_FALSE(estimate_times(visit, 16).cpu_begins);
}

TEST(BackendChoice, DeblendedImagesAreWorkForAGpu) {
  Workload work = images(60, 4096);
  EXPECT_FALSE(estimate_times(work, 16).favours_gpu());
  work.divided_bytes = work.pixel_bytes;
  EXPECT_TRUE(estimate_times(work, 16).favours_gpu());
}

// 4096² of 50 000 stars a Mpixel: 25 s by 16 threads, 0.96 s by a process with an H200. 512²: a second by two threads.
TEST(BackendChoice, ALargeCrowdIsWorkForAGpu) {
  Workload crowd = images(1, 4096);
  EXPECT_FALSE(estimate_times(crowd, 16).favours_gpu());
  crowd.crowd_bytes = crowd.pixel_bytes;
  EXPECT_TRUE(estimate_times(crowd, 16).favours_gpu());
  Workload small = images(1, 256);
  small.crowd_bytes = small.pixel_bytes;
  EXPECT_FALSE(estimate_times(small, 16).favours_gpu());
}

class WorkloadTest : public ::testing::Test {
 protected:
  PlannedFile file(const std::string& name, std::int64_t bytes, const std::string& yaml = "") {
    std::ofstream(folder_ / name) << std::string(static_cast<std::size_t>(bytes), ' ');
    ImageFile image{.path = folder_ / name, .name = name, .bytes = bytes, .config = {}};
    image.config = make_image_config(parse_config(yaml, "x.yaml"));
    return {image, {}};
  }
  testing::TemporaryFolder folder_;
};

TEST_F(WorkloadTest, IsEverythingThatIsRead) {
  const std::string combined = "combine: {method: mean, files: ['" + (folder_ / "b.fits") + "']}";
  const PlannedFile b = file("b.fits", 1000), z = file("z.fits.fz", 100), a = file("a.fits", 2000, combined);
  EXPECT_EQ(workload_of(std::vector{b}).pixel_bytes, 1500);
  EXPECT_EQ(workload_of(std::vector{b, z}).pixel_bytes, 1500 + 600);
  EXPECT_EQ(workload_of(std::vector{a}).pixel_bytes, 3000 + 1500);
  EXPECT_EQ(workload_of(std::vector{a}).multiply_adds, 0);
  PlannedFile less_b = a;
  less_b.file.beside = std::make_shared<const FilesBeside>(FilesBeside{.reference = b.file.path});
  EXPECT_EQ(workload_of(std::vector{less_b}).pixel_bytes, 3000 + 1500 + 1500);
  PlannedFile found_in_b = z;
  found_in_b.file.beside =
      std::make_shared<const FilesBeside>(FilesBeside{.detection = DetectionTask{b.file.path, b.file.config}});
  EXPECT_EQ(workload_of(std::vector{found_in_b, b, found_in_b}).pixel_bytes, 2100 + 1500 + 2100);
}

TEST_F(WorkloadTest, CountsTheMultiplyAddsOfTheKernel) {
  const PlannedFile general =
      file("a.fits", 400, "convolve: {kernel: values, values: [[1, 0, 1], [0, 1, 0], [0, 0, 1]]}");
  const PlannedFile separable = file("b.fits", 400, "convolve: {kernel: gaussian, fwhm: 3, size: 15}");
  EXPECT_EQ(workload_of(std::vector{general}).multiply_adds, 1.5 * 900);
  EXPECT_EQ(workload_of(std::vector{separable}).multiply_adds, 1.5 * 3000);
}

TEST_F(WorkloadTest, KnowsWhichImagesAreCrowds) {
  const PlannedFile plain = file("a.fits", 400),
                    crowd = file("b.fits", 800, "crowd: {method: joint}\npsf: {method: fit}");
  EXPECT_EQ(workload_of(std::vector{plain}).crowd_bytes, 0);
  EXPECT_EQ(workload_of(std::vector{plain, crowd}).crowd_bytes, 1200);
}

TEST_F(WorkloadTest, KnowsWhoseSourcesAreDivided) {
  const PlannedFile plain = file("a.fits", 400), divided = file("b.fits", 800, "deblend: {method: tree}");
  EXPECT_EQ(workload_of(std::vector{plain}).divided_bytes, 0);
  EXPECT_EQ(workload_of(std::vector{plain, divided}).divided_bytes, 1200);
}

// Files of 4096² and their bytes, 16 cores and one H200: 0.856 and 0.696 s, 0.731 and 0.579, 0.918 and 0.673, 1.09 and
// 0.631 for a visit on the CPU and on both; 0.319 and 0.575 for 50 files (tests/bench/HISTORY.md).
TEST_F(WorkloadTest, OfAVisitIsForAllInWhateverFormItsFilesAre) {
  const auto favours_gpu = [&](const std::string& name, std::int64_t bytes, std::size_t count) {
    PlannedFile one = file(name, 0);
    one.file.bytes = bytes;
    return estimate_times(workload_of(std::vector(count, one)), 16).favours_gpu();
  };
  EXPECT_TRUE(favours_gpu("float32.fits", 67'000'000, 189));
  EXPECT_TRUE(favours_gpu("int16.fits", 33'500'000, 189));
  EXPECT_TRUE(favours_gpu("int16.fits.fz", 12'900'000, 189));
  EXPECT_TRUE(favours_gpu("float32.fits.fz", 10'500'000, 189));
  EXPECT_FALSE(favours_gpu("float32.fits", 67'000'000, 50));
}

TEST_F(WorkloadTest, SeveralImagesAreSeveralFilesOrAllOfOne) {
  const PlannedFile one = file("a.fits", 400), all = file("b.fits", 400, "input: {hdu: all}");
  EXPECT_FALSE(workload_of(std::vector{one}).several_images);
  EXPECT_TRUE(workload_of(std::vector{one, one}).several_images);
  EXPECT_TRUE(workload_of(std::vector{all}).several_images);
}

}  // namespace
}  // namespace srcextract
