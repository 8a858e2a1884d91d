#include "pipeline/machine/backend_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "pipeline/machine/backend.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/image_config.hpp"
#include "tests/support/fits_writer.hpp"
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
// what `auto` would have with a GPU (docs/performance.md).
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
  EXPECT_TRUE(is_for_all(images(32, 64), 16));
  EXPECT_FALSE(is_for_all(images(31, 64), 16));
}

TEST(BackendChoice, DeblendedImagesAreWorkForAGpu) {
  Workload work = images(60, 4096);
  EXPECT_FALSE(estimate_times(work, 16).favours_gpu());
  work.divided_bytes = work.pixel_bytes;
  EXPECT_TRUE(estimate_times(work, 16).favours_gpu());
}

class WorkloadTest : public ::testing::Test {
 protected:
  PlannedFile file(const std::string& name, std::int64_t bytes, const std::string& yaml = "") {
    std::ofstream(folder_ / name) << std::string(static_cast<std::size_t>(bytes), ' ');
    ImageFile image{.path = folder_ / name, .name = name, .bytes = bytes, .config = {}};
    image.config = make_image_config(parse_config(yaml, "x.yaml"));
    return {image, {}};
  }

  PlannedFile holding(const std::string& name, const std::string& fits) {
    PlannedFile made = file(name, 0);
    testing::write_file(made.file.path, fits);
    made.file.bytes = std::ssize(fits);
    return made;
  }

  /// A compressed image, a tile a row, whose streams have so many bytes.
  static std::string tiles(std::int64_t width, std::int64_t height, std::int64_t streams) {
    return testing::image_hdu(8, {}, "") +
           testing::fits_header({{"XTENSION", "'BINTABLE'"},
                                 {"BITPIX", "8"},
                                 {"NAXIS", "2"},
                                 {"NAXIS1", "8"},
                                 {"NAXIS2", std::to_string(height)},
                                 {"PCOUNT", std::to_string(streams)},
                                 {"GCOUNT", "1"},
                                 {"TFIELDS", "1"},
                                 {"TTYPE1", "'COMPRESSED_DATA'"},
                                 {"TFORM1", "'1PB(0)'"},
                                 {"ZIMAGE", "T"},
                                 {"ZCMPTYPE", "'RICE_1'"},
                                 {"ZBITPIX", "16"},
                                 {"ZNAXIS", "2"},
                                 {"ZNAXIS1", std::to_string(width)},
                                 {"ZNAXIS2", std::to_string(height)}}) +
           testing::fits_data(std::string(static_cast<std::size_t>(8 * height + streams), '\0'));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(WorkloadTest, IsEverythingThatIsRead) {
  const std::string combined = "combine: {method: mean, files: ['" + (folder_ / "b.fits") + "']}";
  const PlannedFile b = file("b.fits", 1000), z = file("z.fits.fz", 100), a = file("a.fits", 2000, combined);
  EXPECT_EQ(workload_of(std::vector{b}, "").pixel_bytes, 1000);
  EXPECT_EQ(workload_of(std::vector{b, z}, "").pixel_bytes, 1400);
  EXPECT_EQ(workload_of(std::vector{a}, "").pixel_bytes, 3000);
  EXPECT_EQ(workload_of(std::vector{a}, b.file.path).pixel_bytes, 4000);
  EXPECT_EQ(workload_of(std::vector{a}, "").multiply_adds, 0);
  PlannedFile found_in_b = z;
  found_in_b.file.beside =
      std::make_shared<const FilesBeside>(FilesBeside{.detection = DetectionTask{b.file.path, b.file.config}});
  EXPECT_EQ(workload_of(std::vector{found_in_b, b, found_in_b}, "").pixel_bytes, 1400 + 1000 + 1400);
}

TEST_F(WorkloadTest, HasAsManyPixelsAsTheFirstFileOfThatEndingSays) {
  const std::int64_t pixels = 1000 * 800;
  std::vector<PlannedFile> files;
  for (const char* name : {"a.fits", "b.fits"})
    files.push_back(holding(name, testing::image_hdu(16, {1000, 800}, std::string(2 * pixels, '\0'))));
  // But for headers, which count as pixels.
  EXPECT_NEAR(workload_of(std::vector{files[0]}, "").pixel_bytes, 4 * pixels, pixels / 10);
  EXPECT_NEAR(workload_of(files, "").pixel_bytes, 2 * 4 * pixels, pixels / 10);
  std::filesystem::remove(files[1].file.path);  // nobody looks into it
  EXPECT_NEAR(workload_of(files, "").pixel_bytes, 2 * 4 * pixels, pixels / 10);
  const PlannedFile compressed = holding("a.fits.fz", tiles(5000, 1000, 1'000'000));
  EXPECT_NEAR(workload_of(std::vector{compressed}, "").pixel_bytes, 4 * 5000 * 1000, 5000 * 1000 / 10);
  const PlannedFile cube = holding("a.fts", testing::image_hdu(-64, {500, 400, 4}, std::string(8 * pixels, '\0')));
  EXPECT_NEAR(workload_of(std::vector{cube}, "").pixel_bytes, 4 * pixels, pixels / 10);
}

TEST_F(WorkloadTest, IsNotMadeEnormousByOneHeader) {
  const PlannedFile damaged = holding("a.fits.fz", tiles(1'000'000, 100, 0)), other = file("b.fits.fz", 10'000'000);
  EXPECT_LT(workload_of(std::vector{damaged, other}, "").pixel_bytes, std::int64_t{1} << 30);
}

TEST_F(WorkloadTest, CountsTheMultiplyAddsOfTheKernel) {
  const PlannedFile general =
      file("a.fits", 400, "convolve: {kernel: values, values: [[1, 0, 1], [0, 1, 0], [0, 0, 1]]}");
  const PlannedFile separable = file("b.fits", 400, "convolve: {kernel: gaussian, fwhm: 3, size: 15}");
  EXPECT_EQ(workload_of(std::vector{general}, "").multiply_adds, 900);
  EXPECT_EQ(workload_of(std::vector{separable}, "").multiply_adds, 3000);
}

TEST_F(WorkloadTest, KnowsWhoseSourcesAreDivided) {
  const PlannedFile plain = file("a.fits", 400), divided = file("b.fits", 800, "deblend: {method: tree}");
  EXPECT_EQ(workload_of(std::vector{plain}, "").divided_bytes, 0);
  EXPECT_EQ(workload_of(std::vector{plain, divided}, "").divided_bytes, 800);
}

TEST_F(WorkloadTest, SeveralImagesAreSeveralFilesOrAllOfOne) {
  const PlannedFile one = file("a.fits", 400), all = file("b.fits", 400, "input: {hdu: all}");
  EXPECT_FALSE(workload_of(std::vector{one}, "").several_images);
  EXPECT_TRUE(workload_of(std::vector{one, one}, "").several_images);
  EXPECT_TRUE(workload_of(std::vector{all}, "").several_images);
}

}  // namespace
}  // namespace srcextract
