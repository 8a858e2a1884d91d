#include "pipeline/batch.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>

#include "pipeline/log.hpp"
#include "stages/core/error.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/fits_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

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
    command_.arguments = {"srcextract"};
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
    command_.images.push_back(folder_ / name);
    testing::write_file(folder_ / name, bytes);
  }

  /// Extracts every image, so many files at a time.
  int process(const std::string& directory, std::size_t workers) {
    command_.output_dir = folder_ / directory;
    prepare_output_directory(command_.output_dir);
    Execution execution;
    execution.cpu.threads = 2;
    return process_files({command_, config_, KeptFiles(command_.images)}, std::vector<Execution>(workers, execution),
                         Progress(false, command_.images.size()));
  }

  /// The outputs by name, but for the reports, which tell times.
  std::map<std::string, std::string> outputs() const {
    std::map<std::string, std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(command_.output_dir)) {
      const bool report = entry.path().extension() == ".json";
      result[entry.path().filename()] = report ? "" : contents(entry.path());
    }
    return result;
  }

  testing::TemporaryFolder folder_;
  CommandLine command_;
  Config config_;
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
  command_.images.resize(2);
  EXPECT_EQ(process("out", 4), 0);
  EXPECT_THAT(outputs(), SizeIs(8));
}

TEST_F(ProcessFiles, BadFilesDoNotStopTheOthersAndGiveTheHighestExitCode) {
  command_.images.push_back(folder_ / "missing.fits");
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
    done += line.find(": done in ") != std::string::npos;
  }
  EXPECT_EQ(done, skies + 2);
}

/// How many would work on so many of the skies at a time, and with how many threads each.
class ShareOut : public ProcessFiles {
 protected:
  static constexpr std::int64_t plenty = std::int64_t{1} << 40;

  std::pair<std::size_t, int> shares(std::size_t images, int threads, std::int64_t device_memory) {
    Execution execution;
    execution.cpu.threads = threads;
    execution.compare = compare_;
    if (device_memory > 0) execution.device = CudaDevice{0, "a device", device_memory};
    command_.images.resize(images);
    const std::vector<Execution> workers = share_out(execution, command_.images);
    return {workers.size(), workers.front().cpu.threads};
  }

  bool compare_ = false;
};

TEST_F(ShareOut, WithADeviceEveryThreadHasImagesOfItsOwn) {
  EXPECT_EQ(shares(skies, 4, plenty), std::pair(4ul, 1));
  EXPECT_EQ(shares(3, 4, plenty), std::pair(3ul, 1));
}

TEST_F(ShareOut, FewImagesTakeTurnsAndHaveAllThreads) {
  EXPECT_EQ(shares(2, 4, plenty), std::pair(1ul, 4));
  EXPECT_EQ(shares(1, 1, plenty), std::pair(1ul, 1));
}

TEST_F(ShareOut, ImagesForWhichThereIsLittleMemoryTakeTurns) {
  EXPECT_EQ(shares(skies, 4, 1'000'000), std::pair(1ul, 4));
}

TEST_F(ShareOut, OnTheCpuAndForAComparisonImagesTakeTurns) {
  EXPECT_EQ(shares(skies, 4, 0), std::pair(1ul, 4));
  compare_ = true;
  EXPECT_EQ(shares(skies, 4, plenty), std::pair(1ul, 4));
}

// Catalogues of several images are not of one: each report is about its own file.
TEST_F(ProcessFiles, EveryReportIsAboutItsOwnImage) {
  EXPECT_EQ(process("out", 5), 0);
  for (int i = 0; i < skies; ++i) {
    if (i == 5) continue;
    const std::string name = "sky" + std::to_string(i);
    const std::string report = contents(command_.output_dir + "/" + name + ".run.json");
    EXPECT_THAT(report, HasSubstr(folder_ / (name + ".fits")));
    EXPECT_THAT(report, HasSubstr("\"width\": " + std::to_string(201 + 13 * (i % 4))));
  }
}

}  // namespace
}  // namespace srcextract
