// A GPU that others have filled: the host's memory holds what it has no room for, `--backend auto` goes on without the
// GPU, and if both have too little, the run says how much it needs. The program
// is run as a user runs it, while this process holds the memory.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// Holds all of a device's memory but `left` bytes.
class Hoard {
 public:
  explicit Hoard(std::int64_t left) {
    check(cudaMalloc(&memory_, static_cast<std::size_t>(find_cuda_device(0).free_memory - left)));
  }
  ~Hoard() { cudaFree(memory_); }
  Hoard(const Hoard&) = delete;
  Hoard& operator=(const Hoard&) = delete;

 private:
  void* memory_ = nullptr;
};

class DeviceMemory : public testing::StageTest<Gpu> {
 protected:
  void SetUp() override {
    StageTest<Gpu>::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const char* program = std::getenv("SRCEXTRACT_PROGRAM");
    if (program == nullptr) GTEST_SKIP() << "SRCEXTRACT_PROGRAM does not name the program";
    program_ = program;
    folder_ = fs::path(::testing::TempDir()) / "srcextract_device_memory";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // 3.6 GB as float32 on the device, next to nothing on disk.
    std::ofstream(folder_ / "config.yaml")
        << "background: {method: constant}\ndetection:\n  threshold_unit: absolute\n";
    std::ofstream image(folder_ / "large.fits", std::ios::binary);
    for (const char* card :
         {"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    2",
          "NAXIS1  =                30000", "NAXIS2  =                30000", "END"}) {
      std::string padded(card);
      padded.resize(80, ' ');
      image << padded;
    }
    image << std::string(2880 - 6 * 80, ' ');
    image.close();
    fs::resize_file(folder_ / "large.fits", 2880 + (900'000'000 + 2879) / 2880 * 2880);
    std::fstream pixels(folder_ / "large.fits", std::ios::in | std::ios::out | std::ios::binary);
    for (std::int64_t source = 0; source < sources; ++source) {
      for (std::int64_t row = 0; row < 3; ++row) {
        pixels.seekp(2880 + source * 7'000'013 + row * side);
        pixels << "\x40\x70\x60\x20";
      }
    }
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
    StageTest<Gpu>::TearDown();
  }

  /// Exit code of a run with that back end over `images`; what it said is in `said_`.
  int run(const std::string& backend, const std::vector<std::string>& images = {"large.fits"}) {
    const std::string log = folder_ / "log";
    std::string command = "'" + program_ + "' --backend " + backend + " -o '" + folder_.string() + "' '" +
                          (folder_ / "config.yaml").string() + "'";
    for (const std::string& image : images) command += " '" + (folder_ / image).string() + "'";
    command += " 2>'" + log + "'";
    const int status = std::system(command.c_str());
    std::ifstream in(log);
    said_.assign(std::istreambuf_iterator<char>(in), {});
    return WEXITSTATUS(status);
  }

  std::string catalogue() const {
    std::ifstream in(folder_ / "large.cat.fits", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static constexpr std::int64_t side = 30000, sources = 120;
  std::string program_;
  fs::path folder_;
  std::string said_;
};

TEST_F(DeviceMemory, TheHostHoldsWhatTheDeviceHasNoRoomFor) {
  ASSERT_EQ(run("cpu"), 0) << said_;
  const std::string expected = catalogue();
  ASSERT_THAT(said_, HasSubstr(std::to_string(sources) + " sources"));
  ASSERT_EQ(run("cuda"), 0) << said_;
  EXPECT_EQ(said_.find("the host's memory holds the rest"), std::string::npos) << said_;
  EXPECT_EQ(catalogue(), expected);
  const Hoard hoard(std::int64_t{2} << 30);
  ASSERT_EQ(run("cuda"), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("the host's memory holds the rest"));
  EXPECT_EQ(catalogue(), expected);
}

TEST_F(DeviceMemory, TooLittleOnBothIsADeviceErrorThatSaysHowMuchIsNeeded) {
  const Hoard hoard(std::int64_t{2} << 30);
  EXPECT_EQ(run("cuda --memory 1G"), 4) << said_;
  EXPECT_THAT(said_, HasSubstr("this image needs"));
  EXPECT_THAT(said_, HasSubstr("are free"));
  EXPECT_FALSE(fs::exists(folder_ / "large.cat.fits"));
}

TEST_F(DeviceMemory, AutoFallsBackToTheCpuAndSaysSo) {
  const Hoard hoard(std::int64_t{2} << 30);
  EXPECT_EQ(run("auto --device 0"), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("extracted on the CPU, because the GPU cannot"));
  EXPECT_TRUE(fs::exists(folder_ / "large.cat.fits"));
  EXPECT_EQ(run("auto --device 0 --memory 1G"), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("extracted on the CPU, because the GPU cannot"));
  EXPECT_THAT(said_, HasSubstr("its rows are read several times instead"));
}

TEST_F(DeviceMemory, EnoughForOneImageIsEnoughForMany) {
  // What is kept from the first image must not stand in the way of one of another shape.
  fs::copy_file(folder_ / "large.fits", folder_ / "wide.fits");
  std::fstream wide(folder_ / "wide.fits", std::ios::in | std::ios::out | std::ios::binary);
  wide.seekp(3 * 80);
  wide << "NAXIS1  =                40000" << std::string(50, ' ') << "NAXIS2  =                22500";
  wide.close();
  constexpr std::int64_t image = 3'600'000'000, context = std::int64_t{512} << 20;
  const Hoard hoard(2 * image + context);
  EXPECT_EQ(run("cuda", {"large.fits", "wide.fits"}), 0) << said_;
  EXPECT_TRUE(fs::exists(folder_ / "large.cat.fits"));
  EXPECT_TRUE(fs::exists(folder_ / "wide.cat.fits"));
}

#else

TEST(DeviceMemory, IsTested) {
  GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif

}  // namespace
}  // namespace srcextract
