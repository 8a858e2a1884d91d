#include "pipeline/batch/batch.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "pipeline/log/log.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/image_config.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/fits_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int skies = 12;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return (std::ostringstream() << file.rdbuf()).str();
}

class ProcessFiles : public ::testing::Test {
 protected:
  /// Skies of several shapes, in one of the files three. The log goes to a file.
  void SetUp() override {
    log_to_stderr();
    configure_log(Verbosity::quiet, folder_ / "log", false);
    config_.input.hdu = "all";
    config_.output.formats = {CatalogFormat::fits, CatalogFormat::csv};
    config_.output.segmentation = true;
    for (int i = 0; i < skies; ++i) {
      std::string hdus = sky_hdu(i, testing::Place::primary);
      if (i == 5) hdus += sky_hdu(20, testing::Place::extension) + sky_hdu(21, testing::Place::extension);
      add("sky" + std::to_string(i) + ".fits", hdus);
    }
  }

  static std::string sky_hdu(int seed, testing::Place place) {
    const auto field = testing::star_field({201 + 13 * (seed % 4), 157}, 100, 3, 150, static_cast<unsigned>(seed));
    return testing::image_hdu(-32, {field.shape.width, field.shape.height}, testing::big_endian(field.pixels),
                              {{"CTYPE1", "'RA---TAN'"},
                               {"CTYPE2", "'DEC--TAN'"},
                               {"CDELT1", "-0.001"},
                               {"CDELT2", "0.001"},
                               {"CRVAL1", "150."},
                               {"CRVAL2", "2."}},
                              place);
  }

  void add(const std::string& name, const std::string& bytes) {
    images_.push_back(folder_ / name);
    testing::write_file(folder_ / name, bytes);
  }

  std::vector<PlannedFile> planned_files() const {
    const auto config = make_image_config(config_);
    std::vector<PlannedFile> files;
    for (const std::string& path : images_) {
      files.push_back({look_at(path, std::filesystem::path(path).filename()), {}});
      files.back().file.config = config;
    }
    return files;
  }

  /// Extracts every image with so many threads.
  int process(const std::string& directory, int threads, const RunControl& control = {}) {
    output_dir_ = folder_ / directory;
    prepare_output_directory(output_dir_);
    const KeptFiles kept(images_);
    const std::vector<PlannedFile> files = planned_files();
    Machine machine;
    machine.cpu.threads = threads;
    return process_files({output_dir_, {"srcextract"}, kept}, files, machine, budget_,
                         Progress(Progress::Show::nothing, files.size(), 0), control)
        .code;
  }

  /// The outputs by name, but for the reports, which tell times.
  std::map<std::string, std::string> outputs() const {
    std::map<std::string, std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(output_dir_)) {
      const bool report = entry.path().extension() == ".json";
      result[entry.path().filename()] = report ? "" : contents(entry.path());
    }
    return result;
  }

  testing::TemporaryFolder folder_;
  std::vector<std::string> images_;
  std::string output_dir_;
  Config config_;
  MemoryBudget budget_{std::int64_t{1} << 30, false};
};

TEST_F(ProcessFiles, SeveralAtATimeGiveTheBytesOfOneAfterTheOther) {
  EXPECT_EQ(process("alone", 1), 0);
  const auto alone = outputs();
  EXPECT_THAT(alone, SizeIs(4 * (skies + 2)));
  EXPECT_THAT(alone.at("sky5.hdu2.cat.csv"), HasSubstr("ALPHA_J2000"));
  EXPECT_EQ(process("together", 5), 0);
  EXPECT_TRUE(outputs() == alone);
}

TEST_F(ProcessFiles, MoreWorkersThanFilesDoNoHarm) {
  images_.resize(2);
  EXPECT_EQ(process("out", 4), 0);
  EXPECT_THAT(outputs(), SizeIs(8));
}

TEST_F(ProcessFiles, BadFilesDoNotStopTheOthersAndGiveTheHighestExitCode) {
  images_.push_back(folder_ / "missing.fits");
  add("text.fits", "no FITS file");
  add("short.fits", sky_hdu(1, testing::Place::primary).substr(0, 40000));
  EXPECT_EQ(process("out", 4), exit_code(ErrorKind::input));
  EXPECT_THAT(outputs(), SizeIs(4 * (skies + 2)));
}

TEST_F(ProcessFiles, EveryImageIsLoggedAsDoneOnALineOfItsOwn) {
  EXPECT_EQ(process("out", 5), 0);
  std::istringstream log(contents(folder_ / "log"));
  int done = 0;
  for (std::string line; std::getline(log, line);) {
    EXPECT_EQ(line.find(" info: "), line.rfind(" info: ")) << line;
    done += line.find(" CPU thread") != std::string::npos;
  }
  EXPECT_EQ(done, skies + 2);
}

// A worker opens a file only where no image waits: sky5.fits has three, and the first is under way when the next is
// taken.
TEST_F(ProcessFiles, ImagesOfOneFileRunSideBySide) {
  images_ = {images_.at(5)};
  std::mutex mutex;
  std::condition_variable changed;
  int under_way = 0;
  bool met = false;
  const auto on_image = [&](const ImageOutcome&) {
    std::unique_lock lock(mutex);
    ++under_way;
    met |= under_way == 2;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(30), [&] { return met; });
    --under_way;
  };
  EXPECT_EQ(process("out", 2, {on_image, [] { return false; }}), 0);
  EXPECT_TRUE(met);
}

TEST_F(ProcessFiles, EveryOutcomeIsTold) {
  add("text.fits", "no FITS file");
  std::mutex mutex;
  std::map<std::string, ImageRecord> records;
  const auto on_image = [&](const ImageOutcome& outcome) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(records.emplace(image_label(outcome.record), outcome.record).second);
  };
  process("out", 3, {on_image, [] { return false; }});
  EXPECT_THAT(records, SizeIs(skies + 3));
  EXPECT_FALSE(records.at("text.fits").done);
  EXPECT_EQ(records.at("text.fits").kind, "input");
  const ImageRecord& second = records.at("sky5.fits[2]");
  EXPECT_TRUE(second.done);
  EXPECT_EQ(second.images, 3);
  EXPECT_EQ(second.width, 201 + 13 * (21 % 4));
  for (const auto& [name, bytes] : second.outputs) EXPECT_EQ(contents(output_dir_ + "/" + name).size(), bytes) << name;
  EXPECT_THAT(second.outputs, SizeIs(4));
}

TEST_F(ProcessFiles, ARunThatIsToStopFinishesWhatIsUnderWay) {
  std::atomic<int> images = 0;
  EXPECT_EQ(process("out", 2, {[&](const ImageOutcome&) { ++images; }, [&] { return images >= 3; }}), 0);
  EXPECT_GE(images, 3);
  EXPECT_LE(images, 5);
  EXPECT_THAT(outputs(), SizeIs(4 * images));
}

TEST_F(ProcessFiles, WhatTheRunCannotRecordEndsIt) {
  std::atomic<int> images = 0;
  const auto on_image = [&](const ImageOutcome&) {
    ++images;
    throw Error(ErrorKind::storage, "the journal is full");
  };
  EXPECT_THROW(process("out", 2, {on_image, [] { return false; }}), Error);
  EXPECT_LE(images, 2);
}

TEST_F(ProcessFiles, AnImageThatNeedsMoreThanTheBudgetFailsAlone) {
  MemoryBudget small(195'000, true);  // the first sky takes 189 000 bytes, the second 202 000
  images_.resize(2);
  const KeptFiles kept(images_);
  const std::vector<PlannedFile> files = planned_files();
  output_dir_ = folder_ / "out";
  prepare_output_directory(output_dir_);
  std::vector<std::string> reasons;
  const auto on_image = [&](const ImageOutcome& outcome) { reasons.push_back(outcome.record.reason); };
  EXPECT_EQ(process_files({output_dir_, {}, kept}, files, Machine{}, small, Progress(Progress::Show::nothing, 2, 0),
                          {on_image, [] { return false; }})
                .code,
            exit_code(ErrorKind::memory));
  ASSERT_THAT(reasons, SizeIs(2));
  EXPECT_EQ(reasons[0], "");
  EXPECT_THAT(reasons[1], HasSubstr("--memory"));
}

/// How many would work on so many of the skies at a time, on which devices, and with how many threads each.
class ShareOut : public ProcessFiles {
 protected:
  static constexpr std::int64_t plenty = std::int64_t{1} << 40;

  std::vector<Execution> shares(std::size_t images, int threads, const std::vector<std::int64_t>& device_memories) {
    Machine machine;
    machine.cpu.threads = threads;
    machine.compare = compare_;
    for (const std::int64_t memory : device_memories)
      machine.devices.push_back({static_cast<int>(machine.devices.size()), "a device", memory});
    images_.resize(images);
    config_.input.hdu = hdu_;
    std::vector<PlannedFile> files = planned_files();
    for (PlannedFile& planned : files)
      if (found_elsewhere_)
        planned.file.beside = std::make_shared<const FilesBeside>(
            FilesBeside{.detection = DetectionTask{planned.file.path, planned.file.config}});
    return share_out(machine, files);
  }

  /// Workers, and the threads of the first.
  std::pair<std::size_t, int> sizes(std::size_t images, int threads, const std::vector<std::int64_t>& memories) {
    const std::vector<Execution> workers = shares(images, threads, memories);
    return {workers.size(), workers.front().cpu.threads};
  }

  bool compare_ = false, found_elsewhere_ = false;
  std::string hdu_ = "auto";
};

TEST_F(ShareOut, WithADeviceEveryThreadHasImagesOfItsOwn) {
  EXPECT_EQ(sizes(skies, 4, {plenty}), std::pair(4ul, 1));
  EXPECT_EQ(sizes(3, 4, {plenty}), std::pair(3ul, 1));
}

TEST_F(ShareOut, DevicesTakeTurns) {
  const std::vector<Execution> workers = shares(skies, 4, {plenty, plenty, plenty});
  std::vector<int> devices;
  for (const Execution& worker : workers) devices.push_back(worker.device->index);
  EXPECT_THAT(devices, ElementsAre(0, 1, 2, 0));
}

TEST_F(ShareOut, FewImagesHaveAllThreads) {
  EXPECT_EQ(sizes(2, 4, {plenty}), std::pair(1ul, 4));
  EXPECT_EQ(sizes(1, 1, {plenty}), std::pair(1ul, 1));
  EXPECT_EQ(sizes(2, 4, {plenty, plenty}), std::pair(2ul, 2));
}

TEST_F(ShareOut, OneFileOfManyImagesHasManyWorkers) {
  hdu_ = "all";
  EXPECT_EQ(sizes(1, 4, {plenty}), std::pair(4ul, 1));
  EXPECT_EQ(sizes(1, 4, {}).first, 4ul);
}

TEST_F(ShareOut, ImagesForWhichThereIsLittleMemoryTakeTurns) {
  EXPECT_EQ(sizes(skies, 4, {1'000'000}), std::pair(1ul, 4));
}

TEST_F(ShareOut, AnImageInWhichSourcesAreFoundTakesAsMuchMemoryAgain) {
  std::int64_t enough = 100'000;
  while (sizes(skies, 4, {enough}).first < 4) enough += enough / 8;
  found_elsewhere_ = true;
  EXPECT_EQ(sizes(skies, 4, {enough}), std::pair(1ul, 4));
  EXPECT_EQ(sizes(skies, 4, {2 * enough}), std::pair(4ul, 1));
}

TEST_F(ShareOut, OnTheCpuEveryThreadHasImagesOfItsOwn) {
  EXPECT_EQ(sizes(skies, 4, {}).first, 4ul);
  EXPECT_EQ(sizes(2, 4, {}).first, 2ul);
}

TEST_F(ShareOut, ForAComparisonImagesTakeTurns) {
  compare_ = true;
  EXPECT_EQ(sizes(skies, 4, {plenty}), std::pair(1ul, 4));
}

// Catalogues of several images are not of one: each report is about its own file.
TEST_F(ProcessFiles, EveryReportIsAboutItsOwnImage) {
  EXPECT_EQ(process("out", 5), 0);
  for (int i = 0; i < skies; ++i) {
    if (i == 5) continue;
    const std::string name = "sky" + std::to_string(i);
    const std::string report = contents(output_dir_ + "/" + name + ".run.json");
    EXPECT_THAT(report, HasSubstr(folder_ / (name + ".fits")));
    EXPECT_THAT(report, HasSubstr("\"width\": " + std::to_string(201 + 13 * (i % 4))));
  }
}

}  // namespace
}  // namespace srcextract
