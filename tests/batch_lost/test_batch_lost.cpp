// A batch that loses its GPU half way. A program of its own, whose tests are run one by one: the process cannot have
// the device back.
#include <gmock/gmock.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/batch/batch.hpp"
#include "pipeline/log/log.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/image_config.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/fits_writer.hpp"
#include "tests/support/temporary_folder.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "tests/cuda_lost/trap.hpp"
#endif

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

constexpr int skies = 60;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return (std::ostringstream() << file.rdbuf()).str();
}

class BatchLosesGpu : public testing::StageTest<Gpu> {
 protected:
  /// Small skies, which share launches, and larger ones.
  void SetUp() override {
    StageTest<Gpu>::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    log_to_stderr();
    configure_log(Verbosity::quiet, folder_ / "log", false);
    const auto config = make_image_config(Config{});
    for (int i = 0; i < skies; ++i) {
      const std::int64_t size = i % 3 == 0 ? 900 : 64;
      const auto field = testing::star_field({size, size}, 100, 3, 40, static_cast<unsigned>(i));
      const std::string name = "sky" + std::to_string(i) + ".fits";
      testing::write_file(folder_ / name, testing::image_hdu(-32, {size, size}, testing::big_endian(field.pixels), {},
                                                             testing::Place::primary));
      files_.push_back({look_at(folder_ / name, name), {}});
      files_.back().file.config = config;
    }
  }

  int process(const std::string& directory, const Machine& machine, const RunControl& control = {}) {
    const KeptFiles kept(std::vector<std::string>{});
    std::filesystem::create_directory(folder_ / directory);
    MemoryBudget budget(std::int64_t{1} << 30, false);
    return process_files({folder_ / directory, {}, kept}, files_, machine, budget,
                         Progress(Progress::Show::nothing, files_.size(), 0), control)
        .code;
  }

  std::map<std::string, std::string> catalogues(const std::string& directory) const {
    std::map<std::string, std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / directory)) {
      if (entry.path().extension() != ".json") result[entry.path().filename()] = contents(entry.path());
    }
    return result;
  }

  testing::TemporaryFolder folder_;
  std::vector<PlannedFile> files_;
};

TEST_F(BatchLosesGpu, TheRestIsDoneElsewhereToTheSameBytes) {
  Machine cpu;
  cpu.cpu.threads = 4;
  ASSERT_EQ(process("cpu", cpu), 0);

  Machine machine = choose_machine({Backend::automatic, {}, 4}, {std::int64_t{1} << 40, 0, true});
  ASSERT_FALSE(machine.devices.empty());
  // As soon as one image is done there, while the other workers have their first ones there: whoever comes later may
  // find the CPU to be faster, and would not notice.
  const auto was_done_there = [&] {
    spdlog::default_logger()->flush();
    return contents(folder_ / "log").find("on CUDA device") != std::string::npos;
  };
  std::atomic<int> images = 0;
  std::atomic<bool> is_lost = false;
  const auto lose_first = [&](const ImageOutcome& outcome) {
    EXPECT_TRUE(outcome.record.done) << outcome.record.reason;
    ++images;
    if (was_done_there() && !is_lost.exchange(true)) testing::lose_device(where());
  };
  EXPECT_EQ(process("lost", machine, {lose_first, [] { return false; }}), 0);
  EXPECT_EQ(images, skies);
  EXPECT_FALSE(device_works(0));
  EXPECT_EQ(catalogues("cpu").size(), skies);
  EXPECT_TRUE(catalogues("lost") == catalogues("cpu"));
  EXPECT_THAT(contents(folder_ / "log"), ::testing::HasSubstr("GPU 0 is lost"));

  // Nothing may take the place of a GPU that was asked for by name.
  machine.devices.resize(1);
  machine.may_fall_back = false;
  EXPECT_THROW(process("none", machine), Error);
}

// The CPU is at its first images when it comes, and has the rest when it goes.
TEST_F(BatchLosesGpu, ThatHasJoinedTheCpu) {
  Machine cpu;
  cpu.cpu.threads = 4;
  ASSERT_EQ(process("cpu", cpu), 0);

  Machine machine = cpu;
  machine.devices_join = machine.may_fall_back = true;
  const auto has_joined = [&] {
    spdlog::default_logger()->flush();
    return contents(folder_ / "log").find(" joins after ") != std::string::npos;
  };
  std::atomic<int> begun = 0;
  const auto wait_for_it = [&](const ImageTask&) {
    if (++begun <= 8) return;  // of these it learns what images are like
    for (int i = 0; i < 1000 && !has_joined(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  std::atomic<int> images = 0;
  const auto lose_it = [&](const ImageOutcome& outcome) {
    EXPECT_TRUE(outcome.record.done) << outcome.record.reason;
    if (++images == skies / 2) testing::lose_device(where());
  };
  RunControl control{lose_it, [] { return false; }};
  control.on_begin = wait_for_it;
  EXPECT_EQ(process("lost", machine, control), 0);
  EXPECT_TRUE(has_joined());
  EXPECT_EQ(images, skies);
  EXPECT_FALSE(device_works(0));
  EXPECT_TRUE(catalogues("lost") == catalogues("cpu"));
  EXPECT_THAT(contents(folder_ / "log"), ::testing::HasSubstr("GPU 0 is lost"));
}

#else

TEST(BatchLosesGpu, IsTested) {
  GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif

}  // namespace
}  // namespace srcextract
